"""The machine code itself: a processor without AVX must be able to import and use the module.

Outside the namespaces that are compiled per instruction set there may be neither a wide register nor any other
instruction that only newer processors know.
"""

from __future__ import annotations

import platform
import re
import shutil
import subprocess

import pytest

from certus import _native

pytestmark = [
    pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="x86-64 only"),
    pytest.mark.skipif(shutil.which("objdump") is None, reason="objdump is not installed"),
]

FUNCTION = re.compile(r"^[0-9a-f]+ <(.+)>:$")
INSTRUCTION = re.compile(r"^ *[0-9a-f]+:\t(?:(?:lock|rep|repz|repnz|notrack|bnd|data16) )*([a-z]\w*)(.*)$")
# Mnemonics with a leading v are AVX's; the others belong to BMI 1 and 2.
AVX = re.compile(r"v[a-z]\w*")
BMI = re.compile(r"andn|bextr|bls(i|r|msk)|bzhi|mulx|p(dep|ext)|rorx|s(ar|hl|hr)x")
PER_SET = {"avx2": "6certus4avx2", "avx512": "6certus6avx512"}


@pytest.fixture(scope="module")
def instructions() -> list[tuple[str, str, str]]:
    """Function, mnemonic and operands of every instruction in the module."""
    command = ["objdump", "--disassemble", "--no-show-raw-insn", str(_native.__file__)]
    listing = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found, function = [], ""
    for line in listing.splitlines():
        if head := FUNCTION.match(line):
            function = head[1]
        elif body := INSTRUCTION.match(line):
            found.append((function, body[1], body[2]))
    assert len(found) > 1000
    return found


def test_newer_instructions_stay_in_their_namespaces(instructions):
    strays = {
        f"{function}: {mnemonic}{operands}"
        for function, mnemonic, operands in instructions
        if AVX.fullmatch(mnemonic) or BMI.fullmatch(mnemonic) or re.search(r"%[yz]mm|%k[0-7]", operands)
        if not any(name in function for name in PER_SET.values())
    }
    assert not strays, "\n".join(sorted(strays)[:20])


@pytest.mark.parametrize(("name", "register"), [("avx2", "%ymm"), ("avx512", "%zmm")])
def test_each_set_uses_its_wide_registers(instructions, name, register):
    """Were the symbols stripped or the options lost, the test above would see nothing; this one would not pass."""
    wide = {function for function, _, operands in instructions if register in operands}
    assert len([function for function in wide if PER_SET[name] in function]) >= 4
