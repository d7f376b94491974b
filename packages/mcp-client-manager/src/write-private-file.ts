/**
 * Replaces a file atomically, with mode 0600. Loads its library on first use: most hosts write no file.
 *
 * @param options.fsync - Whether the file must survive a power loss. Default `true`.
 */
export async function writePrivateFile(path: string, text: string, { fsync = true } = {}): Promise<void> {
  const { default: writeFileAtomic } = await import('write-file-atomic');
  await writeFileAtomic(path, text, { mode: 0o600, fsync });
}
