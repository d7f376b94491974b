import { checkCommand } from '@x/mcp-client-manager';
import type { ServerConfig } from '@x/mcp-config-schema';
import { checkSecrets } from '@x/mcp-config-schema/secrets';
import { error, type Finding, ok, type Patient } from './finding.js';

/** Checks that the command of each server exists. Runs none. */
export async function checkCommands({ loaded, io }: Patient): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const server of enabledIn(loaded)) {
    if (server.transport !== 'stdio') continue;
    const { name, command, cwd, env } = server;
    const found = await checkCommand({ command, cwd, env, environment: { ...io.env } });
    if (found.status === 'found') findings.push(ok('command', `${name}: ${found.file}`));
    else findings.push(error('command', `${name}: ${problems[found.status]}: ${placeOf(server)}`, found.hint));
  }
  return findings;

  function placeOf({ command, cwd }: { readonly command: string; readonly cwd?: string | undefined }): string {
    return cwd === undefined ? command : `${command} in ${cwd}`;
  }
}

const problems = {
  'command-not-found': 'the command was not found',
  'command-not-executable': 'the file is not executable',
  'directory-not-found': 'its directory does not exist',
} as const;

/** Schemes that run a program or prompt the user. */
const interactive = /^(command|keychain):/;

/** Checks that references of servers resolve. Skips those that run a program or open a keychain. Keeps no value. */
export async function checkServerSecrets({ loaded, io, redactor }: Patient): Promise<readonly Finding[]> {
  const servers = enabledIn(loaded);
  const all = servers.flatMap(({ secrets = [] }) => secrets);
  if (all.length === 0) return [];
  const later = all.filter(({ reference }) => interactive.test(reference)).length;
  const checked = servers.map((server) => ({
    ...server,
    secrets: server.secrets?.filter(({ reference }) => !interactive.test(reference)),
  }));
  const { issues } = await checkSecrets(checked, { env: io.env, signal: io.signal, redactor });
  const count = all.length - later - issues.length;
  return [
    ...(count > 0 ? [ok('secret', `${counted(count)} can be resolved`)] : []),
    ...(later > 0
      ? [ok('secret', `${counted(later)} not checked: a program or the keychain provides it when the server starts`)]
      : []),
    ...issues.map(({ message, hint }) =>
      error('secret', message, hint ?? 'put it where the reference says, or change the reference'),
    ),
  ];
}

/** A server is often disabled because its program or secret is missing. */
function enabledIn(loaded: Patient['loaded']): readonly ServerConfig[] {
  return (loaded?.servers ?? []).filter(({ disabled }) => !disabled);
}

function counted(count: number): string {
  return `${count} ${count === 1 ? 'secret' : 'secrets'}`;
}
