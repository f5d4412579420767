# The CPU build: a static binary on an empty image, run by an ordinary user.
#
#   docker build -t tengen .
#   docker run --rm -it -v "$PWD/runs:/runs" -p 127.0.0.1:9464:9464 tengen \
#       train --run /runs/first --listen 0.0.0.0:9464
FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags='-s -w' -o /tengen ./cmd/tengen \
 && mkdir /runs

FROM scratch
COPY --from=build /tengen /tengen
COPY --from=build --chown=65532:65532 /runs /runs
USER 65532:65532
WORKDIR /
ENTRYPOINT ["/tengen"]
CMD ["train"]
