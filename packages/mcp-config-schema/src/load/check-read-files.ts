import { findPython } from '../extension/gather-facts.js';
import type { ConfigIssue } from '../issues.js';
import { type CheckedInput, type ConfigCheck, checkInputs } from '../parse-config.js';
import { ownValue, type TemplateVariables, withFallback } from '../template/expand-template.js';
import { parseTemplate } from '../template/parse-template.js';
import type { WrittenLaunch } from '../written-launch.js';
import { resolveLogDirectories, withDirectories } from './directories.js';
import type { LoadPolicy } from './load-options.js';
import type { ReadFile, ReadFiles } from './read-files.js';

/** Result of checking config files. */
export interface FilesCheck extends ConfigCheck {
  /** For `formatIssue`, by file name. */
  readonly texts: ReadonlyMap<string, string>;
}

export async function checkReadFiles(
  { files, refusals, envFiles, namedEnv }: ReadFiles,
  policy: LoadPolicy,
): Promise<FilesCheck> {
  const { variables, unsetVariables } = policy;
  const env = withFallback(policy.env, namedEnv.values);
  const project = files.find(({ layer }) => layer !== 'user')?.root ?? policy.cwd;
  const inputs = await Promise.all(files.map((file) => inputOf(file, project, { ...policy, env, envFiles })));
  const check = checkInputs(inputs, { variables: variables === 'keep' ? 'keep' : env, unsetVariables, hidden: env });
  const envIssues = [namedEnv, ...envFiles].flatMap((file) => file.issues);
  const isWhole = refusals.length === 0 && !envIssues.some(({ severity }) => severity === 'error');
  let launches: FilesCheck['launches'] | undefined;
  const logs = await resolveLogDirectories(check.config ?? check.partial, files);
  return {
    issues: [...refusals, ...envIssues, ...check.issues, ...readableSecrets(files, check.issues), ...logs.issues],
    config: isWhole && check.config ? withDirectories(check.config, { files, logs }, policy) : undefined,
    partial: isWhole && check.partial ? withDirectories(check.partial, { files, logs }, policy) : undefined,
    get origins() {
      return check.origins;
    },
    get launches() {
      launches ??= withRoots(check.launches, { files, envFiles, env });
      return launches;
    },
    get redactor() {
      return check.redactor;
    },
    texts: new Map(files.map(({ shown, text }) => [shown, text])),
  };
}

interface Read extends Pick<ReadFiles, 'files' | 'envFiles'> {
  readonly env: TemplateVariables;
}

function withRoots(launches: FilesCheck['launches'], { files, envFiles, env }: Read): FilesCheck['launches'] {
  const roots = new Map(files.map(({ shown, root }) => [shown, root]));
  return new Map(
    Array.from(launches, ([name, launch]) => {
      const root = roots.get(launch.file ?? '');
      const filled = filledBy(envFiles.find((file) => file.root === root)?.values ?? {}, launch, env);
      return [name, { ...launch, root, ...(filled !== undefined && { filled }) }];
    }),
  );
}

/** Values that the entry has from its `.env` file. */
function filledBy(values: TemplateVariables, launch: WrittenLaunch, env: TemplateVariables): WrittenLaunch['filled'] {
  const { command, args, env: variables, cwd, url, headers } = launch;
  const texts = [command, args, Object.values({ ...variables, ...headers }), cwd, url].flat();
  const names = new Set<string>();
  for (const text of texts) {
    if (typeof text !== 'string') continue;
    for (const part of parseTemplate(text)) if (part.kind === 'variable') names.add(part.variable);
  }
  const filled = [...names].flatMap((name) => {
    const value = ownValue(env, name) === undefined ? ownValue(values, name) : undefined;
    return value === undefined ? [] : [[name, value] as const];
  });
  return filled.length === 0 ? undefined : Object.fromEntries(filled);
}

async function inputOf(
  { shown, text, layer, root, isGiven }: ReadFile,
  project: string,
  { env, home, envFiles }: LoadPolicy & Pick<ReadFiles, 'envFiles'>,
): Promise<CheckedInput> {
  // Searched only if used, because the search reads the disk.
  const needsPython = /\{\{\s*runtime\.python/.test(text);
  const python = needsPython ? await findPython([root], { platform: process.platform, env }) : undefined;
  // `root` is the only way for a user entry to name the project. Its Python is never that of the project.
  const places = {
    root: layer === 'user' ? project : root,
    'runtime.python': python,
    'runtime.node': process.execPath,
  };
  const fileVariables = envFiles.find((each) => each.root === root)?.values;
  return { file: shown, text, layer, places, home, fileVariables, isGiven };
}

/** Warns about files with secrets that other users can read. Not on Windows, where permissions differ. */
function readableSecrets(files: readonly ReadFile[], issues: readonly ConfigIssue[]): readonly ConfigIssue[] {
  if (process.platform === 'win32') return [];
  return files.flatMap(({ shown, mode }) => {
    const secret = issues.find(({ code, file }) => code === 'inline-secret' && file === shown);
    if (secret === undefined || (mode & 0o044) === 0) return []; // also for given texts, whose mode is 0
    const { line, column, path } = secret;
    const message = `The file contains a secret, and other users of this machine can read it (mode 0${mode.toString(8)})`;
    const hint = 'restrict its permissions, for example with chmod 600, or remove the secrets';
    return { code: 'readable-secret', severity: 'warning', message, hint, file: shown, line, column, path } as const;
  });
}
