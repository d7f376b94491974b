import { type ConfigIssue, isConfigError } from '@x/mcp-config-schema';
import { checkFiles, type FilesCheck } from '@x/mcp-config-schema/load';
import { error, type Finding, ok, type Patient, warning } from './finding.js';

/** Reads the config, and says everything that is wrong with it. Gives what of it can be looked at further. */
export async function checkConfigFiles({
  io,
  config: files,
}: Patient): Promise<{ readonly findings: readonly Finding[] } & Pick<Patient, 'loaded' | 'redactor'>> {
  let check: FilesCheck;
  try {
    check = await checkFiles({ cwd: io.cwd, env: io.env, ...(files && { files }) });
  } catch (cause) {
    if (!isConfigError(cause)) throw cause;
    const [message = ''] = cause.message.split('\n');
    const fix = cause.code === 'config-not-found' ? 'run "mcpx init" to write one' : 'make the file readable text';
    return { findings: [error('config', message, fix)] };
  }
  const { issues, config, partial, redactor, texts } = check;
  const { servers } = config ?? partial ?? { servers: [] };
  const summary = `${[...texts.keys()].join(', ')}: ${servers.length} ${servers.length === 1 ? 'server' : 'servers'}`;
  const findings = issues.map(issueFinding);
  return { findings: issues.length === 0 ? [ok('config', summary)] : findings, loaded: config ?? partial, redactor };
}

function issueFinding({ severity, code, file, line, column, message, hint }: ConfigIssue): Finding {
  const place = file === undefined ? `${line}:${column}` : `${file}:${line}:${column}`;
  const fix = hint ?? 'run "mcpx validate" to see the lines around it';
  return (severity === 'error' ? error : warning)('config', `${place} ${code} ${message}`, fix);
}
