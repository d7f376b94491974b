import { hexDigest } from '@x/internal/files';

const maxNameLength = 64;
/** Names that Windows keeps for devices, whatever comes after the first dot. */
const deviceName = /^(con|prn|aux|nul|com\d|lpt\d)$/;

/**
 * The file that a server's log goes to. A short lower-case name stays as it is; of any other, what every file system
 * takes is kept, and a digest of the whole name tells it from its neighbours.
 */
export function logFileName(server: string): string {
  const isPlain = /^[a-z0-9][a-z0-9_-]*$/.test(server) && server.length <= maxNameLength && !deviceName.test(server);
  if (isPlain) return `${server}.log`;
  const readable = server
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, maxNameLength);
  return `${readable}~${hexDigest(server, 12)}.log`; // no plain name has a tilde
}
