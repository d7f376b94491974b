import { isManagerError, type ManagerError } from '@x/mcp-client-manager';

/** Excludes error codes, which look like variables. */
const variableName = /\b(?!ERR_|MODULE_NOT_FOUND)[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/;
const aboutVariables = /\b(not set|unset|missing|required|undefined|not provided|environment|variable)\b/i;

/** Remedy for a failed start, guessed from the server's stderr and the cause. */
export function startHint({ cause, stderrTail, server = '<server>' }: ManagerError): string | undefined {
  const reason = isManagerError(cause) ? cause : undefined;
  if (reason?.code === 'exited-early') {
    const variable = requiredVariable(stderrTail);
    // The server's message misleads a user whose shell sets the variable.
    if (variable !== undefined)
      return `Servers inherit only a few variables of your shell. If it needs ${variable}, write ${variable}: \${${variable}} under "env" of ${server} in the config.`;
  }
  // A server without output will not write more with --verbose.
  if (stderrTail.length > 0) return `Run "mcpx discover ${server} --refresh --verbose" to see all of its output.`;
  // The doctor connects to addresses but sends no HTTP request.
  if (reason?.code === 'handshake-refused' && reason.message.includes(' refused the connection at '))
    return `Check the whole "url" of ${server} in the config, including the path, and that the server is running.`;
  return undefined;
}

function requiredVariable(stderrTail: readonly string[]): string | undefined {
  const line = stderrTail.findLast((text) => variableName.test(text) && aboutVariables.test(text));
  return line?.match(variableName)?.[0];
}
