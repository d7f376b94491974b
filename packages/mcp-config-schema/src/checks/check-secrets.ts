import type { ConfigFile } from '../config-file.js';
import type { ConfigPath } from '../issues.js';
import { nameOfPath } from '../schema/value-words.js';
import type { SourceText } from '../source/source-text.js';
import { inlineSecretsOf } from './inline-secrets.js';

export function checkSecrets(files: readonly ConfigFile[]): void {
  for (const { source, section, serverParts } of files) {
    for (const [name, entry] of serverParts) {
      for (const { path, variable } of inlineSecretsOf(entry)) warn(source, [section, name, ...path], variable);
    }
  }
}

/** The message must not contain the value. */
function warn(source: SourceText, path: ConfigPath, variable: string): void {
  const message = `${nameOfPath(path)} contains a secret in plain text`;
  const hint = `remove it from the file: set the environment variable ${variable} and write \${${variable}} here`;
  source.report({ code: 'inline-secret', severity: 'warning', message, hint }, path);
}
