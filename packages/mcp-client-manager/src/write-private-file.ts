/**
 * Replaces a file as a whole, readable by its owner alone. The library that does it is loaded with the first file: most
 * hosts write none.
 *
 * @param options.fsync - Whether it has to survive a loss of power. Default `true`.
 */
export async function writePrivateFile(path: string, text: string, { fsync = true } = {}): Promise<void> {
  const { default: writeFileAtomic } = await import('write-file-atomic');
  await writeFileAtomic(path, text, { mode: 0o600, fsync });
}
