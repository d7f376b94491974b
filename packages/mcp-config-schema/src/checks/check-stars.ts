import type { ConfigFile } from '../config-file.js';
import { quoted } from '../printable.js';
import { hasMisplacedStar } from './rule-cover.js';
import { knownServers } from './server-names.js';

/** Warns of role rules with a `*` where it means nothing, which look as if they allowed a lot and allow nothing. */
export function checkStars(files: readonly ConfigFile[]): void {
  const known = knownServers(files);
  for (const { source, section, toolParts } of files) {
    for (const [tool, { role_restrictions }] of toolParts) {
      for (const [role, { allowed_tools }] of Object.entries(role_restrictions)) {
        for (const [index, rule] of allowed_tools.entries()) {
          if (!hasMisplacedStar(rule, known)) continue;
          const message = `${quoted(rule)} allows nothing: a "*" stands for text in the name of a tool, never for a server`;
          const hint = 'name each server: "git" and "git.*" allow all tools of git';
          source.report({ code: 'misplaced-star', severity: 'warning', message, rule, hint }, [
            section,
            tool,
            'role_restrictions',
            role,
            'allowed_tools',
            index,
          ]);
        }
      }
    }
  }
}
