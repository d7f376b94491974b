import { checkCommand } from '@x/mcp-client-manager';
import type { ServerConfig } from '@x/mcp-config-schema';
import { checkSecrets } from '@x/mcp-config-schema/secrets';
import { error, type Finding, ok, type Patient } from './finding.js';

/** Whether the command of each server that has one could be run. Runs none. */
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
  'command-not-executable': 'the file cannot be run',
  'directory-not-found': 'its directory does not exist',
} as const;

/** Schemes that ask a program, a password manager or a person. */
const asking = /^(command|keychain):/;

/**
 * Whether what servers only refer to can be looked up. Runs no program and opens no keychain: whether those answer shows when
 * a server starts. No value is kept.
 */
export async function checkServerSecrets({ loaded, io, redactor }: Patient): Promise<readonly Finding[]> {
  const servers = enabledIn(loaded);
  const all = servers.flatMap(({ secrets = [] }) => secrets);
  if (all.length === 0) return [];
  const later = all.filter(({ reference }) => asking.test(reference)).length;
  const checked = servers.map((server) => ({
    ...server,
    secrets: server.secrets?.filter(({ reference }) => !asking.test(reference)),
  }));
  const { issues } = await checkSecrets(checked, { env: io.env, signal: io.signal, redactor });
  const count = all.length - later - issues.length;
  return [
    ...(count > 0 ? [ok('secret', `${counted(count)} can be looked up`)] : []),
    ...(later > 0
      ? [
          ok(
            'secret',
            `${counted(later)} not looked up here: a program or the keychain is asked when the server starts`,
          ),
        ]
      : []),
    ...issues.map(({ message, hint }) =>
      error('secret', message, hint ?? 'put it where the reference says, or change the reference'),
    ),
  ];
}

/** A server is often disabled for want of its program or secret. */
function enabledIn(loaded: Patient['loaded']): readonly ServerConfig[] {
  return (loaded?.servers ?? []).filter(({ disabled }) => !disabled);
}

function counted(count: number): string {
  return `${count} ${count === 1 ? 'secret' : 'secrets'}`;
}
