import { useState } from 'preact/hooks';
import type { ResultOf } from '../api.js';
import { foreignLine } from '../foreign-text-parts.js';
import { counted, formatCount } from '../format.js';
import { ForeignText } from '../parts/foreign-text.js';
import { useMethod } from '../use-response.js';
import { type Route, routeTo, useQueryValue } from '../use-route.js';

type Report = ResultOf<'modelSearch'>;
type Hit = Report['hits'][number];

interface SearchViewProps {
  /** Its query has the words as `q`, and the `role`. */
  readonly route: Route;
}

/** What a model gets when it searches for tools, why, and what it costs beside a list of all tools. */
export function SearchView({ route }: SearchViewProps) {
  const [q, setQ] = useQueryValue(route, 'q');
  const [role, setRole] = useQueryValue(route, 'role');
  const [words, setWords] = useState(q);
  const { response: roles } = useMethod('roles', {});
  const params = q.trim() === '' ? undefined : { query: q.trim(), ...(role !== '' && { role }) };
  const { response, problem } = useMethod('modelSearch', params);
  return (
    <>
      <p class="note">What a model reads when it calls “search_mcp_tools”. Each search here is such a call.</p>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          setQ(words);
        }}
      >
        <label class="wide">
          The model looks for
          <input
            type="search"
            value={words}
            placeholder="find the issues that mention a crash"
            maxLength={1_000}
            autocomplete="off"
            onInput={({ currentTarget }) => setWords(currentTarget.value)}
          />
        </label>
        {roles && roles.length > 0 && (
          <label>
            As role
            <select value={role} onChange={({ currentTarget }) => setRole(currentTarget.value)}>
              <option value="">none, as the owner</option>
              {roles.map(({ role: name }) => (
                <option key={name} value={name}>
                  {foreignLine(name, 80)}
                </option>
              ))}
            </select>
          </label>
        )}
        <button type="submit" class="primary">
          Search
        </button>
      </form>
      <p role="status" class={problem === undefined ? 'note' : 'error'}>
        {problem ?? (params && !response ? 'Searching …' : response ? summaryOf(response) : '')}
      </p>
      {response && <Report report={response} />}
    </>
  );
}

function summaryOf({ total, tools, isWeak, unmatchedTerms }: Report): string {
  const found = `${total} ${total === 1 ? 'match' : 'matches'} among ${counted(tools, 'tool')}`;
  const unknown =
    unmatchedTerms.length === 0
      ? ''
      : ` No tool has ${unmatchedTerms.map((term) => `“${foreignLine(term, 80)}”`).join(', ')}.`;
  return `${found}.${isWeak ? ' The best one is probably not what was meant.' : ''}${unknown}`;
}

function Report({ report }: { readonly report: Report }) {
  const { answer, refusal, hits } = report;
  return (
    <div class="search-parts">
      <section class="panel" aria-labelledby="reads">
        <h2 id="reads">What the model reads</h2>
        {answer ? (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard.
          // biome-ignore lint/a11y/useSemanticElements: a section would not keep the lines as they are.
          <pre role="region" aria-label="The answer of the search" tabIndex={0} class="wrapped">
            <ForeignText text={answer.text} maxLength={20_000} />
          </pre>
        ) : (
          <p class="failure">
            <ForeignText text={refusal ?? ''} maxLength={2_000} />
          </p>
        )}
        <Costs report={report} />
      </section>
      <section class="panel" aria-labelledby="why">
        <h2 id="why">Why these tools</h2>
        {hits.length === 0 && <p class="note">Nothing was found.</p>}
        <ol class="hits" aria-label="Found tools">
          {hits.map((hit) => (
            <FoundTool key={hit.name} hit={hit} best={hits[0]?.score ?? 1} />
          ))}
        </ol>
      </section>
    </div>
  );
}

/** Estimated tokens, as bars of one scale. */
function Costs({ report: { perRequest, answer, tools } }: { readonly report: Report }) {
  const rows = [
    ['Every request: the two tools of the search', perRequest.search],
    ['This answer, once found', answer?.tokens ?? 0],
    [`Every request: all ${counted(tools, 'tool')} listed`, perRequest.all],
  ] as const;
  const most = Math.max(1, ...rows.map(([, tokens]) => tokens));
  return (
    <>
      <h3>Tokens, estimated</h3>
      <ul class="waterfall" aria-label="Tokens">
        {rows.map(([label, tokens], index) => (
          <li key={label}>
            <span>{label}</span>
            <svg aria-hidden="true">
              <rect
                class={index === 2 ? 'stage-queue' : 'stage-server'}
                width={`${(tokens / most) * 100}%`}
                height="100%"
              />
            </svg>
            <span class="figure">{formatCount(tokens)}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

function FoundTool({ hit, best }: { readonly hit: Hit; readonly best: number }) {
  const { name, server, tool, score, coverage, matched, tokens } = hit;
  return (
    <li>
      <p class="card-head">
        <a href={routeTo('tools', name)}>
          <code>
            <ForeignText text={server === undefined ? tool : `${server}.${tool}`} maxLength={200} />
          </code>
        </a>
        <span class="note">
          score {score.toFixed(2)} · {Math.round(coverage * 100)} % of the words · {counted(tokens, 'token')}
        </span>
      </p>
      <svg class="score" aria-hidden="true">
        <rect class="stage-server" width={`${best > 0 ? (score / best) * 100 : 0}%`} height="100%" />
      </svg>
      <p class="evidence">
        {matched.map(({ field, terms }) => (
          <span key={field}>
            <span class="note">{fieldNames[field] ?? field}</span>{' '}
            <strong>
              <ForeignText text={terms.join(', ')} maxLength={300} />
            </strong>
          </span>
        ))}
      </p>
    </li>
  );
}

const fieldNames: Readonly<Record<string, string>> = { parameterDescriptions: 'descriptions of parameters' };
