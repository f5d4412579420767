# The CPU build: a static binary on an empty image.
#
#   docker build -t tengen .
#   mkdir -p runs
#   docker run --rm -it --user "$(id -u):$(id -g)" -v "$PWD/runs:/runs" -p 127.0.0.1:9464:9464 tengen
#
# trains in runs/quick and prints the address of the page, http://127.0.0.1:9464/?token=…, which opens on the host. A
# command takes the place of the image's own; it names the address itself, since a loopback within the container can't be
# reached from outside:
#
#   docker run … tengen train kuhn --listen 0.0.0.0:9464
#
# The folder must be there before, and belongs to who starts the container: otherwise Docker makes it, for root. With
# rootless Docker or Podman leave --user out and add --user 0:0, which is you.
#
# The CUDA build, for a host with an NVIDIA driver and its container toolkit (docs/gpu.md):
#
#   docker build -t tengen:cuda --target cuda .
#   docker run --rm -it --gpus all --user "$(id -u):$(id -g)" -v "$PWD/runs:/runs" -p 127.0.0.1:9464:9464 tengen:cuda
#
# /LICENSE and /LICENSES.txt have the licenses of the program and of all that is linked into it.
FROM golang:1.26.8-bookworm@sha256:a688600ca24f8a4d3ca77f95b0dd40704a9fc787c826660eb7ba0b641b8b175d AS source
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ENV CGO_ENABLED=0 GOFLAGS=-trimpath
RUN go run ./tools/release --licenses /LICENSES.txt

FROM source AS build
RUN go build -ldflags='-s -w' -o /tengen ./cmd/tengen && mkdir /runs

# Built without the toolkit: libraries are opened when the program runs.
FROM source AS build-cuda
RUN go build -tags gpu -ldflags='-s -w' -o /tengen ./cmd/tengen

# The driver (libcuda, NVML) comes from the host; of the toolkit the run-time compilers
# are wanted, and for `tengen bench` cuBLAS. The base's version is the oldest driver that may run the
# image; that driver loads what NVRTC 11.8 compiles, and drivers from 525 what NVRTC 12 does. Kernels
# are compiled once and kept in /cache.
FROM nvidia/cuda:11.8.0-base-ubuntu22.04@sha256:f895871972c1c91eb6a896eee68468f40289395a1e58c492e1be7929d0f8703b AS cuda
RUN apt-get update \
 && apt-get install -y --no-install-recommends cuda-nvrtc-11-8 cuda-nvrtc-12-8 libcublas-11-8 \
 && rm -rf /var/lib/apt/lists/* \
 && install -d -o 65532 -g 65532 /runs \
 && install -d -m 1777 /cache
COPY --from=build-cuda /tengen /LICENSES.txt /src/LICENSE /
ENV XDG_CACHE_HOME=/cache \
    NVIDIA_DRIVER_CAPABILITIES=compute,utility \
    LD_LIBRARY_PATH=/usr/local/cuda-12.8/lib64:/usr/local/cuda-11.8/lib64
USER 65532:65532
VOLUME /cache
WORKDIR /
ENTRYPOINT ["/tengen"]
CMD ["train", "--device", "cuda", "--listen", "0.0.0.0:9464"]

# The default target comes last.
FROM scratch
COPY --from=build /tengen /LICENSES.txt /src/LICENSE /
COPY --from=build --chown=65532:65532 /runs /runs
USER 65532:65532
WORKDIR /
ENTRYPOINT ["/tengen"]
CMD ["train", "--listen", "0.0.0.0:9464"]
