export function fileUri(path: string): string {
  const isWindows = /^([A-Za-z]:[\\/]|\\\\)/.test(path) || (path.includes('\\') && !path.includes('/'));
  const plain = isWindows ? path.replaceAll('\\', '/') : path;
  const encoded = plain.split('/').map(encodeSegment).join('/');
  if (/^[A-Za-z]:\//.test(plain)) return `file:///${encoded.replace('%3A', ':')}`;
  if (plain.startsWith('//')) return `file:${encoded}`;
  return plain.startsWith('/') ? `file://${encoded}` : encoded;
}

/** Replaces lone surrogates, which cannot be encoded. */
function encodeSegment(segment: string): string {
  return encodeURIComponent(segment.replace(/\p{Surrogate}/gu, '\uFFFD'));
}
