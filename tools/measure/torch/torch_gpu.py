#!/usr/bin/env python3
"""PyTorch's rates on a CUDA device, for the network of tools/measure/torch/torch_worker.py.

    torch_gpu.py [--only inference|training] [--seconds 2] [--limit 150] [--out torch.json]

Inference: channels_last, bf16 and tf32, plain, compiled (with CUDA graphs) and, at one batch,
compiled with max-autotune; at several batch sizes; the fastest counts.
Training: forward, backward and fused Adam at batch 4,096, tf32 and bf16 (autocast), plain, compiled and
compiled with max-autotune. Inputs are on the device: copies from the host are not counted, which favours PyTorch.
The cases that are likely to be fastest come first, those that take longest to compile last.

A case that fails, or does not start before the limit, is omitted and listed under "failed".
"""

import argparse
import json
import os
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))


class OutOfTime(Exception):
    pass


class Result(dict):
    """The measurements, written to a file after each."""

    path = None

    def add(self, part, row):
        self[part].append(row)
        self.save()

    def save(self):
        for part in ("inference", "training"):
            for precision in ("bf16", "tf32"):
                rates = [x["positions_per_second"] for x in self[part] if x["precision"] == precision]
                self[f"best_{part}_{precision}"] = max(rates) if rates else None
        if self.path:
            with open(self.path + ".new", "w") as f:
                json.dump(self, f, indent=2)
            os.replace(self.path + ".new", self.path)


def rate(torch, work, rows, seconds, deadline):
    """Rows per second of work(), which processes `rows` of them; the device's queue stays full."""
    for _ in range(3):
        work()
    torch.cuda.synchronize()
    done, began = 0, time.perf_counter()
    while True:
        for _ in range(8):
            work()
        torch.cuda.synchronize()
        done += 8 * rows
        elapsed = time.perf_counter() - began
        if elapsed > seconds:
            return done / elapsed
        if time.monotonic() > deadline:
            raise OutOfTime


def reason(e):
    """Why a case has failed, in a line."""
    return str(e).splitlines()[0][:200] if str(e) else type(e).__name__


def inference(torch, worker, options, deadline, result, how, precision, batches):
    modes = {"compiled": "reduce-overhead", "autotuned": "max-autotune"}
    dtype = {"bf16": torch.bfloat16, "tf32": torch.float32}[precision]
    network = None
    for batch in batches:
        name = f"inference {precision} {how} batch {batch}"
        if time.monotonic() > deadline:
            result["failed"][name] = "no time was left"
            continue
        try:
            if network is None:
                torch.manual_seed(1)
                network = worker.Network(options.blocks, options.filters, False).eval().cuda()
                network = network.to(memory_format=torch.channels_last, dtype=dtype)
                if how in modes:
                    network = torch.compile(network, mode=modes[how], fullgraph=True, dynamic=False)
            x = (torch.rand(batch, worker.PLANES, worker.SIDE, worker.SIDE, device="cuda") < 0.25).to(dtype)
            x = x.contiguous(memory_format=torch.channels_last)
            with torch.inference_mode():
                found = rate(torch, lambda: network(x), batch, options.seconds, deadline)
        except OutOfTime:
            result["failed"][name] = "no time was left"
        except Exception as e:  # no compiler, not enough memory
            result["failed"][name] = reason(e)
        else:
            result.add("inference", {"precision": precision, "how": how, "batch": batch, "positions_per_second": found})


def training(torch, worker, options, deadline, result, how, precision):
    F = torch.nn.functional
    batch = options.batch
    modes = {"compiled": None, "autotuned": "max-autotune-no-cudagraphs"}
    name = f"training {precision} {how} batch {batch}"
    if time.monotonic() > deadline:
        result["failed"][name] = "no time was left"
        return
    try:
        torch.manual_seed(1)
        network = worker.Network(options.blocks, options.filters, True).train().cuda().to(memory_format=torch.channels_last)
        optimizer = torch.optim.Adam(network.parameters(), lr=1e-4, fused=True)
        x = (torch.rand(batch, worker.PLANES, worker.SIDE, worker.SIDE, device="cuda") < 0.25).float()
        x = x.contiguous(memory_format=torch.channels_last)
        cells = worker.SIDE * worker.SIDE
        policy_target = torch.rand(batch, cells, device="cuda").softmax(1)
        value_target = torch.randint(worker.SCORES, (batch * worker.PLAYERS,), device="cuda")

        def loss():
            with torch.autocast("cuda", dtype=torch.bfloat16, enabled=precision == "bf16"):
                policy, values = network(x)
            return F.cross_entropy(policy.float(), policy_target) + F.cross_entropy(values.float().flatten(0, 1), value_target)

        forward = torch.compile(loss, mode=modes[how]) if how in modes else loss

        def step():
            optimizer.zero_grad(set_to_none=True)
            forward().backward()
            optimizer.step()

        found = rate(torch, step, batch, options.seconds, deadline)
    except OutOfTime:
        result["failed"][name] = "no time was left"
    except Exception as e:
        result["failed"][name] = reason(e)
    else:
        result.add("training", {"precision": precision, "how": how, "batch": batch, "positions_per_second": found})


# What is measured, in this order.
CASES = [
    (inference, "plain", "bf16", [16384, 4096]),
    (training, "plain", "tf32"),
    (training, "plain", "bf16"),
    (inference, "compiled", "bf16", [16384, 4096]),
    (training, "compiled", "tf32"),
    (training, "compiled", "bf16"),
    (inference, "plain", "tf32", [16384, 4096]),
    (inference, "compiled", "tf32", [16384]),
    (inference, "plain", "bf16", [1024, 256]),
    (inference, "compiled", "bf16", [1024, 256]),
    (inference, "autotuned", "bf16", [4096]),
    (training, "autotuned", "tf32"),
    (training, "autotuned", "bf16"),
    (inference, "autotuned", "tf32", [4096]),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", choices=["", "inference", "training"], help="one of the two")
    parser.add_argument("--seconds", type=float, default=1, help="of each measurement")
    parser.add_argument("--limit", type=float, default=150, help="seconds in all, after which no measurement begins")
    parser.add_argument("--blocks", type=int, default=8)
    parser.add_argument("--filters", type=int, default=128)
    parser.add_argument("--out", help="a file that has what was measured, from the first measurement on")
    parser.add_argument("--batch", type=int, default=4096, help="of training")
    options = parser.parse_args()
    deadline = time.monotonic() + options.limit
    try:
        import torch
    except ImportError:
        sys.exit(f"{sys.executable} has no torch")
    if not torch.cuda.is_available():
        sys.exit("torch finds no CUDA device")
    os.environ.setdefault("TORCHINDUCTOR_FX_GRAPH_CACHE", "1")
    import torch_worker as worker

    torch.backends.cuda.matmul.allow_tf32 = True
    torch.backends.cudnn.allow_tf32 = True
    torch.backends.cudnn.benchmark = True
    result = Result({
        "torch": torch.__version__, "cuda": torch.version.cuda, "device": torch.cuda.get_device_name(0),
        "blocks": options.blocks, "filters": options.filters, "inference": [], "training": [], "failed": {},
    })
    result.path = options.out
    for measure, *case in CASES:
        if options.only in ("", measure.__name__):
            measure(torch, worker, options, deadline, result, *case)
    result.save()
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
