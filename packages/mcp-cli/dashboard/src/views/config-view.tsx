import { useState } from 'preact/hooks';
import type { ConfigView, ToolReadinessView } from '../../../src/dashboard/page-messages.js';
import type { LiveState } from '../live-state.js';
import { ForeignText } from '../parts/foreign-text.js';
import { useReport } from '../use-response.js';

/** Config files, their issues, and the readiness of tools. */
export function ConfigIssuesView({ state }: { readonly state: LiveState }) {
  const [checks, setChecks] = useState(0);
  const states = state.servers.map(({ name, state: now, health }) => `${name} ${now} ${health}`).join('\n');
  const { response, problem } = useReport<ConfigView>('config', `${checks}\n${states}`);
  if (!response) return <p class="note">{problem ?? 'One moment …'}</p>;
  const { files, issues, moreIssues, requirements } = response;
  return (
    <>
      <section aria-labelledby="files">
        <h2 id="files">Files</h2>
        <ul class="names">
          {files.map((file) => (
            <li key={file}>
              <code>
                <ForeignText text={file} />
              </code>
            </li>
          ))}
        </ul>
        <button type="button" onClick={() => setChecks(checks + 1)}>
          Check again
        </button>
      </section>
      <section aria-labelledby="issues">
        <h2 id="issues">Issues</h2>
        {issues.length === 0 && <p class="note">None: the files are all right.</p>}
        <ul class="rows" aria-label="Issues">
          {issues.map(({ severity, code, text }, index) => (
            <li key={`${index} ${code}`} class="row">
              <span class={`badge badge-${severity === 'error' ? 'bad' : 'warn'}`}>
                {severity === 'error' ? '✕' : '◐'} {severity}: {code}
              </span>
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard. */}
              <pre tabIndex={0}>
                <ForeignText text={text} />
              </pre>
            </li>
          ))}
        </ul>
        {moreIssues > 0 && <p class="note">{moreIssues} more; “mcpx validate” lists all.</p>}
      </section>
      <section aria-labelledby="requirements">
        <h2 id="requirements">What tools need</h2>
        {requirements.length === 0 && <p class="note">The config names no tools that need servers.</p>}
        <ul class="rows" aria-label="Requirements">
          {requirements.map((tool) => (
            <Readiness key={tool.tool} tool={tool} />
          ))}
        </ul>
      </section>
    </>
  );
}

const tones: Readonly<Record<string, string>> = { ready: 'good', degraded: 'warn', blocked: 'bad' };

function Readiness({ tool: { tool, readiness, requirements } }: { readonly tool: ToolReadinessView }) {
  return (
    <li class="row">
      <div class="card-head">
        <strong>
          <ForeignText text={tool} />
        </strong>
        <span class={`badge badge-${tones[readiness] ?? 'quiet'}`}>{readiness}</span>
      </div>
      <ul class="names">
        {requirements.map(({ tier, server, isSatisfied, status, hint }) => (
          <li key={`${tier} ${server}`}>
            {isSatisfied ? '✓' : '✕'} {tier} <ForeignText text={server} />: {status}
            {hint !== undefined && (
              <span class="note">
                {' '}
                <ForeignText text={hint} />
              </span>
            )}
          </li>
        ))}
      </ul>
    </li>
  );
}
