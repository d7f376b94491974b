import { type ConfigIssue, isConfigError } from '@x/mcp-config-schema';
import { checkFiles, type FilesCheck } from '@x/mcp-config-schema/load';
import { waitingIn } from '../consent/agree.js';
import type { AskedConfig } from '../consent/launches.js';
import { trustsEverything } from '../consent/trusts-everything.js';
import { error, type Finding, ok, type Patient, warning } from './finding.js';

interface CheckedConfig extends Pick<Patient, 'loaded' | 'redactor'> {
  readonly findings: readonly Finding[];
  /** Servers of `loaded` without consent. */
  readonly waiting?: ReadonlySet<string> | undefined;
}

export async function checkConfigFiles({ io, config: files }: Patient): Promise<CheckedConfig> {
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
  const waiting = await waitingServers({ ...check, servers }, io);
  const summary = `${[...texts.keys()].join(', ')}: ${servers.length} ${servers.length === 1 ? 'server' : 'servers'}`;
  const findings = issues.length === 0 ? [ok('config', summary)] : issues.map(issueFinding);
  return { findings: [...findings, ...consentFinding(waiting)], loaded: config ?? partial, waiting, redactor };
}

async function waitingServers(config: AskedConfig, io: Patient['io']): Promise<ReadonlySet<string>> {
  if (trustsEverything(io.env)) return new Set();
  return new Set((await waitingIn(config, io)).map(({ server }) => server));
}

/** Connecting to an address or reading a path of an untrusted config would already notify its author. */
function consentFinding(waiting: ReadonlySet<string>): readonly Finding[] {
  if (waiting.size === 0) return [];
  const names = [...waiting].join(', ');
  const message = `these servers need your consent, so their commands, addresses and secrets are not checked: ${names}`;
  return [warning('consent', message, 'run "mcpx trust" to see what they run and to give consent')];
}

function issueFinding({ severity, code, file, line, column, message, hint }: ConfigIssue): Finding {
  const place = file === undefined ? `${line}:${column}` : `${file}:${line}:${column}`;
  const fix = hint ?? 'run "mcpx validate" to see the lines around it';
  return (severity === 'error' ? error : warning)('config', `${place} ${code} ${message}`, fix);
}
