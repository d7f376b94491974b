import type { Stack } from '../../compose.js';
import { entriesIn, type FoundConfig, type ServerFile } from '../../writing-config/config-file.js';
import type { ServerRules } from '../page-messages.js';
import { truncate } from '../page-views.js';

const maxRoles = 100;
const maxOverrides = 200;
const maxTextLength = 500;

/** Roles and texts that the config has for a server, beside the fields of its form. */
export async function serverRules(
  server: string,
  file: ServerFile,
  { files }: FoundConfig,
  { config, registry, redactor }: Pick<Stack, 'config' | 'registry' | 'redactor'>,
): Promise<ServerRules> {
  const tools = registry.list().filter((tool) => tool.server === server);
  const roles = [...new Set(config.roles.map(({ role }) => role))];
  const unmatched = new Set(
    (await registry.diagnostics()).flatMap((each) =>
      each.code === 'override-matches-nothing' && each.server === server ? [each.tool] : [],
    ),
  );
  const overrides = Object.entries(config.servers.find(({ name }) => name === server)?.tools ?? {});
  const shown = (text: string | undefined) =>
    text === undefined ? undefined : truncate(redactor.redact(text), maxTextLength);
  return {
    tools: tools.length,
    roles: roles.slice(0, maxRoles).map((role) => {
      const policy = registry.policy({ role });
      return { role, allowed: tools.filter((tool) => policy(tool).isAllowed).length };
    }),
    overrides: overrides.slice(0, maxOverrides).map(([tool, { title, description, hidden }]) => ({
      tool,
      title: shown(title),
      description: shown(description),
      isHidden: hidden === true,
      isUnmatched: unmatched.has(tool),
    })),
    replaces: files.filter((other) => other !== file && entriesIn(other).has(server)).map(({ path }) => path),
  };
}
