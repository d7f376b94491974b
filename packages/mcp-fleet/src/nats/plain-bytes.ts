/** Same memory without the differences of Node's `Buffer`, such as `slice` without a copy. */
export function plainBytes({ buffer, byteOffset, byteLength }: Uint8Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
