"""Strings and bytes: building, splitting, searching, formatting and encoding."""


def palindromes(limit: int) -> int:
    found = 0
    for i in range(limit):
        digits = str(i)
        if digits == digits[::-1]:
            found += 1
    return found


def caesar(text: str, shift: int) -> str:
    letters = []
    for letter in text:
        if letter.islower():
            letter = chr((ord(letter) - 97 + shift) % 26 + 97)
        letters.append(letter)
    return "".join(letters)


def words(text: str) -> int:
    total = 0
    for line in text.split("\n"):
        for word in line.strip().split():
            if word.startswith("b") or word.endswith("ox") or "ui" in word:
                total += len(word.upper())
    return total


def formatted(count: int) -> int:
    total = 0
    for i in range(count):
        total += len(f"{i:05d}:{i % 7}") + len("item-" + str(i))
    return total


def hexadecimal(data: bytes) -> str:
    digits = "0123456789abcdef"
    result = ""
    for byte in data:
        result += digits[byte >> 4] + digits[byte & 15]
    return result


line = "the quick brown fox jumps over the lazy dog"
print(palindromes(5000), caesar(line * 60, 13)[:9], words((line + "\n") * 300), formatted(2500))
print(len(hexadecimal(bytes(range(200)) * 10)), len("".join(chr(i) for i in range(32, 3000)).encode()))
