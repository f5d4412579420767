"""PyTorch's side of the comparison in tools/measure/torch/compare.py: the same network, the
same protocol as tools/measure.

    torch_worker.py infer|train|train-channels-last BLOCKS FILTERS BATCH

Inference is traced, frozen and optimized for inference (BatchNorm folded,
oneDNN's layouts); training is forward, backward and Adam. One thread.
"""

import json
import resource
import sys
import time

import torch
from torch import nn
from torch.nn import functional as F

PLANES, SIDE, PLAYERS, HIDDEN, SCORES = 6, 5, 3, 64, 26


class Block(nn.Module):
    def __init__(self, filters):
        super().__init__()
        self.conv1 = nn.Conv2d(filters, filters, 3, padding=1, bias=False)
        self.norm1 = nn.BatchNorm2d(filters)
        self.conv2 = nn.Conv2d(filters, filters, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(filters)

    def forward(self, x):
        y = F.relu(self.norm1(self.conv1(x)))
        return F.relu(x + self.norm2(self.conv2(y)))


class Value(nn.Module):
    """One player's head: logits over the scores."""

    def __init__(self, filters):
        super().__init__()
        self.hidden = nn.Linear(filters * SIDE * SIDE, HIDDEN)
        self.output = nn.Linear(HIDDEN, SCORES)

    def forward(self, x):
        return self.output(F.relu(self.hidden(x)))


class Network(nn.Module):
    def __init__(self, blocks, filters, training):
        super().__init__()
        self.stem = nn.Conv2d(PLANES, filters, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(filters)
        self.blocks = nn.Sequential(*[Block(filters) for _ in range(blocks)])
        self.policy = nn.Conv2d(filters, 1, 1)
        self.values = nn.ModuleList([Value(filters) for _ in range(PLAYERS)])
        self.register_buffer("support", torch.arange(SCORES) / (SCORES - 1))
        self.logits = training

    def forward(self, x):
        x = self.blocks(F.relu(self.norm(self.stem(x))))
        policy = self.policy(x).flatten(1)
        flat = x.flatten(1)
        values = [head(flat) for head in self.values]
        if self.logits:
            return policy, torch.stack(values, 1)
        return policy, torch.stack([F.softmax(v, 1) @ self.support for v in values], 1)


def prepare(kind, blocks, filters, batch):
    """Returns the function that evaluates or trains one batch."""
    torch.manual_seed(1)
    x = (torch.rand(batch, PLANES, SIDE, SIDE) < 0.25).float()
    if kind == "infer":
        with torch.no_grad():
            network = torch.jit.trace(Network(blocks, filters, False).eval(), x)
            network = torch.jit.optimize_for_inference(torch.jit.freeze(network))

        def evaluate():
            with torch.no_grad():
                network(x)

        for _ in range(5):  # the profiling executor settles
            evaluate()
        return evaluate

    network = Network(blocks, filters, True).train()
    if kind == "train-channels-last":
        network = network.to(memory_format=torch.channels_last)
        x = x.to(memory_format=torch.channels_last)
    elif kind != "train":
        raise SystemExit(f"{kind}: infer, train or train-channels-last is wanted")
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-4)
    policy_target = torch.randint(SIDE * SIDE, (batch,))
    value_target = torch.randint(SCORES, (batch * PLAYERS,))

    def step():
        optimizer.zero_grad(set_to_none=True)
        policy, values = network(x)
        loss = F.cross_entropy(policy, policy_target) + F.cross_entropy(values.flatten(0, 1), value_target)
        loss.backward()
        optimizer.step()

    return step


def main():
    torch.set_num_threads(1)
    torch.set_num_interop_threads(1)
    batch = int(sys.argv[4])
    work = prepare(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), batch)
    work()
    print("ready", flush=True)
    for line in sys.stdin:
        seconds, positions = float(line), 0
        began, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_SELF)
        while positions == 0 or time.perf_counter() - began < seconds:
            work()
            positions += batch
        wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_SELF)
        user, memory = after.ru_utime - before.ru_utime, after.ru_maxrss * 1024
        print(json.dumps({"positions": positions, "wall": wall, "user": user, "memory": memory}), flush=True)


if __name__ == "__main__":
    main()
