import { findPython } from '../extension/gather-facts.js';
import type { ConfigIssue } from '../issues.js';
import { type ConfigCheck, type ConfigInput, checkInputs } from '../parse-config.js';
import { resolveLogDirectories, withDirectories } from './directories.js';
import type { LoadPolicy } from './load-options.js';
import type { ReadFile, ReadFiles } from './read-files.js';

/** Result of checking config files. */
export interface FilesCheck extends ConfigCheck {
  /** For `formatIssue`, by file name. */
  readonly texts: ReadonlyMap<string, string>;
}

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
  // Searched only if used, because the search reads the disk.
  const needsPython = /\{\{\s*runtime\.python/.test(text);
  const python = needsPython ? await findPython([root], { platform: process.platform, env }) : undefined;
  // `root` is the only way for a user entry to name the project. Its Python is never that of the project.
  const places = {
    root: layer === 'user' ? project : root,
    'runtime.python': python,
    'runtime.node': process.execPath,
  };
  return { file: shown, text, layer, places, home };
}

/** Warns about files with secrets that other users can read. Not on Windows, where permissions differ. */
function readableSecrets(files: readonly ReadFile[], issues: readonly ConfigIssue[]): readonly ConfigIssue[] {
  if (process.platform === 'win32') return [];
  return files.flatMap(({ shown, mode }) => {
    const secret = issues.find(({ code, file }) => code === 'inline-secret' && file === shown);
    if (secret === undefined || (mode & 0o044) === 0) return [];
    const { line, column, path } = secret;
    const message = `The file contains a secret, and other users of this machine can read it (mode 0${mode.toString(8)})`;
    const hint = 'restrict its permissions, for example with chmod 600, or remove the secrets';
    return { code: 'readable-secret', severity: 'warning', message, hint, file: shown, line, column, path } as const;
  });
}
