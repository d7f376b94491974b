import { isManagerError, type ManagerError } from '@x/mcp-client-manager';

/** Codes of errors look like names of variables. */
const variableName = /\b(?!ERR_|MODULE_NOT_FOUND)[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/;
const aboutVariables = /\b(not set|unset|missing|required|undefined|not provided|environment|variable)\b/i;

/** What to do about a start that failed, as far as it can be told from what the server wrote or how it was reached. */
export function startHint({ cause, stderrTail, server = '<server>' }: ManagerError): string | undefined {
  const reason = isManagerError(cause) ? cause : undefined;
  if (reason?.code === 'exited-early') {
    const variable = wantedVariable(stderrTail);
    // It may well be set in the shell, so that the server's own words lead nowhere.
    if (variable !== undefined)
      return `A server gets only a few variables of your shell. If it wants ${variable}, write ${variable}: \${${variable}} under "env" of ${server} in the config.`;
  }
  // What writes nothing will not write more when it is watched.
  if (stderrTail.length > 0)
    return `Run "mcpx discover ${server} --refresh --verbose" to see everything that it writes.`;
  // The doctor connects to addresses, and asks nobody over HTTP.
  if (reason?.code === 'handshake-refused' && reason.message.includes(' did not take the connection at '))
    return `Check the whole "url" of ${server} in the config, also what comes after the host, and that the server runs.`;
  return undefined;
}

function wantedVariable(stderrTail: readonly string[]): string | undefined {
  const line = stderrTail.findLast((text) => variableName.test(text) && aboutVariables.test(text));
  return line?.match(variableName)?.[0];
}
