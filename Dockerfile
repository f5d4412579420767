# The CPU build: a static binary on an empty image, run by an ordinary user.
#
#   docker build -t tengen .
#   docker run --rm -it -v "$PWD/runs:/runs" -p 127.0.0.1:9464:9464 tengen \
#       train --run /runs/first --listen 0.0.0.0:9464
#
# The CUDA build, for a host with an NVIDIA driver and its container toolkit
# (docs/gpu.md):
#
#   docker build -t tengen:cuda --target cuda .
#   docker run --rm -it --gpus all -v "$PWD/runs:/runs" -p 127.0.0.1:9464:9464 tengen:cuda \
#       train --run /runs/first --listen 0.0.0.0:9464
FROM golang:1.26-bookworm AS source
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .

FROM source AS build
RUN CGO_ENABLED=0 go build -trimpath -ldflags='-s -w' -o /tengen ./cmd/tengen \
 && mkdir /runs

# Built without the toolkit: libraries are opened when the program runs.
FROM source AS build-cuda
RUN CGO_ENABLED=0 go build -tags gpu -trimpath -ldflags='-s -w' -o /tengen ./cmd/tengen

# The driver (libcuda, NVML) comes from the host; of the toolkit the run-time compilers
# are wanted, and for `tengen bench` cuBLAS. The base's version is the oldest driver that may run the
# image; that driver loads what NVRTC 11.8 compiles, and drivers from 525 what NVRTC 12 does. Kernels
# are compiled once and kept in /cache.
FROM nvidia/cuda:11.8.0-base-ubuntu22.04 AS cuda
RUN apt-get update \
 && apt-get install -y --no-install-recommends cuda-nvrtc-11-8 cuda-nvrtc-12-8 libcublas-11-8 \
 && rm -rf /var/lib/apt/lists/* \
 && install -d -o 65532 -g 65532 /runs /cache
COPY --from=build-cuda /tengen /tengen
ENV XDG_CACHE_HOME=/cache \
    NVIDIA_DRIVER_CAPABILITIES=compute,utility \
    LD_LIBRARY_PATH=/usr/local/cuda-12.8/lib64:/usr/local/cuda-11.8/lib64
USER 65532:65532
VOLUME /cache
WORKDIR /
ENTRYPOINT ["/tengen"]
CMD ["train", "--device", "cuda"]

# The default target comes last.
FROM scratch
COPY --from=build /tengen /tengen
COPY --from=build --chown=65532:65532 /runs /runs
USER 65532:65532
WORKDIR /
ENTRYPOINT ["/tengen"]
CMD ["train"]
