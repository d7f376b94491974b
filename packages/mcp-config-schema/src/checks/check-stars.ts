import { quoted } from '@x/internal/text';
import type { ConfigFile } from '../config-file.js';
import { hasMisplacedStar } from './rule-cover.js';
import { knownServers } from './server-names.js';

export function checkStars(files: readonly ConfigFile[]): void {
  const known = knownServers(files);
  for (const { source, section, toolParts } of files) {
    for (const [tool, { role_restrictions }] of toolParts) {
      for (const [role, restrictions] of Object.entries(role_restrictions)) {
        for (const key of ['allowed_tools', 'allowed_resources', 'allowed_prompts'] as const) {
          for (const [index, rule] of (restrictions[key] ?? []).entries()) {
            if (!hasMisplacedStar(rule, known)) continue;
            const path = [section, tool, 'role_restrictions', role, key, index];
            source.report({ code: 'misplaced-star', severity: 'warning', rule, ...wordsFor(key, rule) }, path);
          }
        }
      }
    }
  }
}

const wordsOfKey = {
  allowed_tools: { of: 'the name of a tool', hint: '"git" and "git.*" allow all tools of git' },
  allowed_resources: { of: 'the URI of a resource', hint: '"files" and "files.*" allow all resources of files' },
  allowed_prompts: { of: 'the name of a prompt', hint: '"git" and "git.*" allow all prompts of git' },
} as const;

function wordsFor(key: keyof typeof wordsOfKey, rule: string) {
  const { of, hint } = wordsOfKey[key];
  const message = `${quoted(rule)} allows nothing: "*" matches text in ${of}, never a server`;
  return { message, hint: `name each server: ${hint}` };
}
