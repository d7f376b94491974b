/** A path as a URI reference: relative ones stay relative, absolute ones get `file://`. Takes paths of any platform. */
export function fileUri(path: string): string {
  const isWindows = /^([A-Za-z]:[\\/]|\\\\)/.test(path) || (path.includes('\\') && !path.includes('/'));
  const plain = isWindows ? path.replaceAll('\\', '/') : path;
  const encoded = plain.split('/').map(encodeSegment).join('/');
  if (/^[A-Za-z]:\//.test(plain)) return `file:///${encoded.replace('%3A', ':')}`;
  if (plain.startsWith('//')) return `file:${encoded}`;
  return plain.startsWith('/') ? `file://${encoded}` : encoded;
}

/** Half of a surrogate pair, which a name can hold, has no encoding of its own. */
function encodeSegment(segment: string): string {
  return encodeURIComponent(segment.replace(/\p{Surrogate}/gu, '\uFFFD'));
}
