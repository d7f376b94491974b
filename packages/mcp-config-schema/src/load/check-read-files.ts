import { findPython } from '../extension/gather-facts.js';
import type { ConfigIssue } from '../issues.js';
import { type ConfigCheck, type ConfigInput, checkInputs } from '../parse-config.js';
import { withDirectories } from './directories.js';
import type { LoadPolicy } from './load-options.js';
import { resolveLogDirectories } from './log-directories.js';
import type { ReadFile, ReadFiles } from './read-files.js';

/** A check of files, with what was read in them. */
export interface FilesCheck extends ConfigCheck {
  /** What was read, by the name that issues use; for `formatIssue`. */
  readonly texts: ReadonlyMap<string, string>;
}

/** Checks what was read, and what can be said of the files themselves. */
export async function checkReadFiles({ files, refusals }: ReadFiles, policy: LoadPolicy): Promise<FilesCheck> {
  const { env, variables } = policy;
  const project = files.find(({ layer }) => layer !== 'user')?.root ?? policy.cwd;
  const inputs = await Promise.all(files.map((file) => inputOf(file, project, policy)));
  const check = checkInputs(inputs, { variables: variables === 'keep' ? 'keep' : env, hidden: env });
  const isWhole = refusals.length === 0;
  let launches: FilesCheck['launches'] | undefined;
  const logs = await resolveLogDirectories(check.config ?? check.partial, files);
  return {
    issues: [...refusals, ...check.issues, ...readableSecrets(files, check.issues), ...logs.issues],
    config: isWhole && check.config ? withDirectories(check.config, { files, logs }, policy) : undefined,
    partial: isWhole && check.partial ? withDirectories(check.partial, { files, logs }, policy) : undefined,
    get origins() {
      return check.origins;
    },
    get launches() {
      launches ??= withRoots(check.launches, files);
      return launches;
    },
    get redactor() {
      return check.redactor;
    },
    texts: new Map(files.map(({ shown, text }) => [shown, text])),
  };
}

function withRoots(launches: FilesCheck['launches'], files: readonly ReadFile[]): FilesCheck['launches'] {
  const roots = new Map(files.map(({ shown, root }) => [shown, root]));
  return new Map(Array.from(launches, ([name, launch]) => [name, { ...launch, root: roots.get(launch.file ?? '') }]));
}

async function inputOf(
  { shown, text, layer, root }: ReadFile,
  project: string,
  { env, home }: LoadPolicy,
): Promise<ConfigInput> {
  // Looked for only where it is asked for: it costs a few looks at the disk.
  const needsPython = /\{\{\s*runtime\.python/.test(text);
  const python = needsPython ? await findPython([root], { platform: process.platform, env }) : undefined;
  // The only way for an entry of the user to name the project. Their Python is never the project's.
  const places = {
    root: layer === 'user' ? project : root,
    'runtime.python': python,
    'runtime.node': process.execPath,
  };
  return { file: shown, text, layer, places, home };
}

/** Warns of files with secrets that others on this machine can read. Windows keeps permissions in another way. */
function readableSecrets(files: readonly ReadFile[], issues: readonly ConfigIssue[]): readonly ConfigIssue[] {
  if (process.platform === 'win32') return [];
  return files.flatMap(({ shown, mode }) => {
    const secret = issues.find(({ code, file }) => code === 'inline-secret' && file === shown);
    if (secret === undefined || (mode & 0o044) === 0) return [];
    const { line, column, path } = secret;
    const message = `The file holds a secret, and others on this machine can read it (mode 0${mode.toString(8)})`;
    const hint = 'let only yourself read it, as with chmod 600, or take its secrets out';
    return { code: 'readable-secret', severity: 'warning', message, hint, file: shown, line, column, path } as const;
  });
}
