/** The same memory without what Node's `Buffer` does differently, such as a `slice` that copies nothing. */
export function plainBytes({ buffer, byteOffset, byteLength }: Uint8Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
