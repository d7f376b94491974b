import { hexDigest } from '@x/internal/files';

const maxNameLength = 64;
const deviceName = /^(con|prn|aux|nul|com\d|lpt\d)$/;

/**
 * File name of a server's log. Short lower-case names remain. Others are reduced to portable characters and get a
 * digest.
 */
export function logFileName(server: string): string {
  const isPlain = /^[a-z0-9][a-z0-9_-]*$/.test(server) && server.length <= maxNameLength && !deviceName.test(server);
  if (isPlain) return `${server}.log`;
  const readable = server
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, maxNameLength);
  return `${readable}~${hexDigest(server, 12)}.log`;
}
