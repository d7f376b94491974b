import { Fragment } from 'preact';
import type { ConfigFileView, PlacedIssue } from '../../../src/dashboard/page-messages.js';
import { foreignLine } from '../foreign-text-parts.js';
import { counted, formatCount } from '../format.js';
import { ForeignText } from '../parts/foreign-text.js';
import { routeTo } from '../use-route.js';

const layers: Readonly<Record<string, string>> = {
  user: 'your own',
  project: 'of the project',
  explicit: 'named with --config',
};

/** A file of the config, with its issues in place. `id`: unique on the page. */
export function ConfigFile({ id, file }: { readonly id: string; readonly file: ConfigFileView }) {
  const { path, layer, kind, issues, servers } = file;
  const errors = issues.filter(({ severity }) => severity === 'error').length;
  const warnings = issues.length - errors;
  return (
    <section class="panel config-file" aria-labelledby={id}>
      <div class="card-head">
        <h3 id={id}>
          <ForeignText text={path} maxLength={1_000} />
        </h3>
        <span class="badge badge-quiet">{kind === 'host-app' ? 'of another app' : (layers[layer] ?? layer)}</span>
        {errors > 0 && <span class="badge badge-bad">✕ {counted(errors, 'error')}</span>}
        {warnings > 0 && <span class="badge badge-warn">◐ {counted(warnings, 'warning')}</span>}
        {issues.length === 0 && kind === 'config' && <span class="badge badge-good">✓ no issues</span>}
      </div>
      {kind === 'host-app' && (
        <p class="note">
          Its {counted(servers.length, 'server')} can only be changed in that app. “mcpx import” prints them as a
          config.
        </p>
      )}
      {kind === 'config' && servers.length > 0 && (
        <p class="file-servers">
          Settings:{' '}
          {servers.map((name) => (
            <a key={name} href={routeTo('config', name)}>
              <ForeignText text={name} maxLength={200} />
            </a>
          ))}
        </p>
      )}
      <SourceText id={id} file={file} />
    </section>
  );
}

/** Id of an issue of the file with that id. */
export function issueId(id: string, index: number): string {
  return `${id}-issue-${index}`;
}

/** The lines with their numbers, and each issue below its line. Other issues follow. */
function SourceText({
  id,
  file: { path, lines, moreLines, issues },
}: {
  readonly id: string;
  readonly file: ConfigFileView;
}) {
  const numbered = issues.map((issue, index) => ({ issue, id: issueId(id, index) }));
  const faulty = new Set(issues.map(({ line }) => line));
  return (
    <>
      {lines.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard.
        // biome-ignore lint/a11y/useSemanticElements: the section around it has the name of the file.
        <div class="source" role="region" aria-label={foreignLine(`Text of ${path}`, 1_000)} tabIndex={0}>
          {lines.map((text, index) => (
            <Fragment key={index}>
              <div class={faulty.has(index + 1) ? 'source-line faulty' : 'source-line'}>
                <span class="line-number">{index + 1}</span>
                <code>
                  <ForeignText text={text} />
                </code>
              </div>
              {faulty.has(index + 1) &&
                numbered
                  .filter(({ issue }) => issue.line === index + 1)
                  .map((each) => <Issue key={each.id} {...each} text={text} />)}
            </Fragment>
          ))}
        </div>
      )}
      {moreLines > 0 && <p class="note">{formatCount(moreLines)} more lines are not shown here.</p>}
      {numbered
        .filter(({ issue }) => issue.line > lines.length)
        .map((each) => (
          <Issue key={each.id} {...each} />
        ))}
    </>
  );
}

/** Carets further right are of no help, and longer than the page. */
const lastCaret = 300;

interface IssueProps {
  readonly id: string;
  readonly issue: PlacedIssue;
  /** The line above it. Default: none. */
  readonly text?: string;
}

function Issue({ id, issue, text }: IssueProps) {
  const { severity, code, message, hint, line, column } = issue;
  const hasCaret = text !== undefined && column <= lastCaret;
  return (
    <div class={`source-issue ${severity === 'error' ? 'bad' : 'warn'}`} id={id} tabIndex={-1}>
      {hasCaret && (
        <pre class="caret" aria-hidden="true">
          {/* Tabs stay, so that the caret stands below its character. */}
          {text.slice(0, column - 1).replace(/[^\t]/g, ' ')}^
        </pre>
      )}
      <p>
        <strong>
          {severity === 'error' ? '✕' : '◐'} {severity} {code}
        </strong>{' '}
        <span class="note">
          line {line}, column {column}
        </span>{' '}
        <ForeignText text={message} maxLength={2_000} />
      </p>
      {hint !== undefined && (
        <p class="remedy">
          → <ForeignText text={hint} maxLength={2_000} links />
        </p>
      )}
    </div>
  );
}
