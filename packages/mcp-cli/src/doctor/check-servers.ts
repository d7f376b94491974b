import { checkCommand } from '@x/mcp-client-manager';
import { checkSecrets } from '@x/mcp-config-schema/secrets';
import { error, type Finding, ok, type Patient } from './finding.js';

/** Whether the command of each server that has one could be run. Runs none. */
export async function checkCommands({ loaded, io }: Patient): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const server of loaded?.servers ?? []) {
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

/** Whether everything that servers only refer to can be looked up. No value is kept. */
export async function checkServerSecrets({ loaded, io, redactor }: Patient): Promise<readonly Finding[]> {
  const servers = loaded?.servers ?? [];
  const count = servers.reduce((sum, { secrets = [] }) => sum + secrets.length, 0);
  if (count === 0) return [];
  const { issues } = await checkSecrets(servers, { env: io.env, root: io.cwd, signal: io.signal, redactor });
  if (issues.length === 0) return [ok('secret', `${count} ${count === 1 ? 'secret' : 'secrets'} can be looked up`)];
  return issues.map(({ message, hint }) =>
    error('secret', message, hint ?? 'put it where the reference says, or change the reference'),
  );
}
