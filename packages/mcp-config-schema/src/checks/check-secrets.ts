import type { ConfigFile } from '../config-file.js';
import type { ConfigPath } from '../issues.js';
import { nameOfPath } from '../schema/value-words.js';
import type { SourceText } from '../source/source-text.js';
import { inlineSecretsOf } from './inline-secrets.js';

/** Warns of secrets that are written into a file, where backups, version control and other programs find them. */
export function checkSecrets(files: readonly ConfigFile[]): void {
  for (const { source, section, serverParts } of files) {
    for (const [name, entry] of serverParts) {
      for (const { path, variable } of inlineSecretsOf(entry)) warn(source, [section, name, ...path], variable);
    }
  }
}

/** The value itself is never part of the message. */
function warn(source: SourceText, path: ConfigPath, variable: string): void {
  const message = `${nameOfPath(path)} holds a secret in plain text`;
  const hint = `take it out of the file: set the environment variable ${variable} and write \${${variable}} here`;
  source.report({ code: 'inline-secret', severity: 'warning', message, hint }, path);
}
