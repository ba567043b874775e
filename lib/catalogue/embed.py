"""Writes a file as an array in C; without one, an empty array.

    python3 embed.py [FILE] > OUTPUT.c
"""
import sys


def main():
    data = b""
    if len(sys.argv) > 1:
        with open(sys.argv[1], "rb") as f:
            data = f.read()
    print('#include "catalogue/nets.h"\n\nconst unsigned char mx_catalogue_file[] = {')
    for i in range(0, max(len(data), 1), 32):
        print("    " + ",".join(map(str, data[i:i + 32] or b"\0")) + ",")
    print("};\nconst size_t mx_catalogue_file_size = %d;" % len(data))


main()
