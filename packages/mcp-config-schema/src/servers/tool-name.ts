/** A tool's name as its server knows it, out of `server.tool` or the name alone. */
export function ownToolName(server: string, written: string): string {
  const prefix = `${server}.`;
  return written.startsWith(prefix) && written.length > prefix.length ? written.slice(prefix.length) : written;
}

/** More than any server's name is long. Without a bound, a name of nothing but dots would take quadratic time. */
const longestServer = 256;

/** What may be a server and a tool in `server.tool`: a name may hold dots, so every dot may be the one between. */
export function* splitToolName(name: string): Iterable<{ readonly server: string; readonly tool: string }> {
  for (let dot = name.indexOf('.'); dot !== -1 && dot <= longestServer; dot = name.indexOf('.', dot + 1)) {
    yield { server: name.slice(0, dot), tool: name.slice(dot + 1) };
  }
}
