/** Same memory without the differences of Node's `Buffer`, such as an uncopied `slice`. */
export function plainBytes({ buffer, byteOffset, byteLength }: Uint8Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
