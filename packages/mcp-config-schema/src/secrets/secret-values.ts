import type { Redactor } from '@x/internal/secrets';
import type { ConfigIssue } from '../issues.js';
import type { SourceText } from '../source/source-text.js';
import type { TemplateVariables } from '../template/expand-template.js';
import { parseTemplate } from '../template/parse-template.js';

/** Includes invalid texts. Excludes public variables. */
export function secretValues(sources: readonly SourceText[], variables: TemplateVariables): ReadonlySet<string> {
  const values = new Set<string>();
  for (const text of sources.flatMap((source) => [...source.strings()])) {
    for (const part of parseTemplate(text)) {
      if (part.kind !== 'variable' || isPublicVariable(part.variable)) continue;
      const value = Object.hasOwn(variables, part.variable) ? variables[part.variable] : undefined;
      if (value !== undefined) values.add(value);
    }
  }
  return values;
}

/** Keeps positions, so that issues can be found. */
export function hideInIssues(issues: readonly ConfigIssue[], redactor: Redactor): readonly ConfigIssue[] {
  return issues.map((issue) => hidden(issue, redactor));
}

const kept: ReadonlySet<string> = new Set(['code', 'severity', 'file', 'path']);

function hidden<Part>(part: Part, redactor: Redactor): Part;
function hidden(part: unknown, redactor: Redactor): unknown {
  if (typeof part === 'string') return redactor.redact(part);
  if (Array.isArray(part)) return part.map((item) => hidden(item, redactor));
  if (typeof part !== 'object' || part === null) return part;
  return Object.fromEntries(
    Object.entries(part).map(([key, value]) => [key, kept.has(key) ? value : hidden(value, redactor)]),
  );
}

/** Common variables without secrets. Redacting their values would hide most paths. */
const publicVariables: ReadonlySet<string> = new Set([
  'APPDATA',
  'COMSPEC',
  'HOME',
  'HOMEDRIVE',
  'HOMEPATH',
  'HOSTNAME',
  'LANG',
  'LANGUAGE',
  'LC_ALL',
  'LOCALAPPDATA',
  'LOGNAME',
  'NODE_ENV',
  'OLDPWD',
  'OS',
  'PATH',
  'PATHEXT',
  'PORT',
  'PROGRAMDATA',
  'PROGRAMFILES',
  'PWD',
  'SHELL',
  'SYSTEMDRIVE',
  'SYSTEMROOT',
  'TEMP',
  'TERM',
  'TMP',
  'TMPDIR',
  'TZ',
  'USER',
  'USERNAME',
  'USERPROFILE',
  'VIRTUAL_ENV',
  'WINDIR',
  'XDG_CACHE_HOME',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
  'XDG_RUNTIME_DIR',
  'XDG_STATE_HOME',
]);

/** Other variables may contain a secret. */
export function isPublicVariable(name: string): boolean {
  return publicVariables.has(name.toUpperCase());
}
