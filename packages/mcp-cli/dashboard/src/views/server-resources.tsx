import { useEffect, useRef, useState } from 'preact/hooks';
import type { ServerView } from '../../../src/dashboard/page-messages.js';
import type { Session } from '../api.js';
import { Suggestions } from '../form/suggestions.js';
import { ForeignText } from '../parts/foreign-text.js';
import { CallStatus } from '../tool/call-outcome.js';
import { RequestButtons, RequestQuestion } from '../tool/request-parts.js';
import { Resource } from '../tool/tool-result.js';
import { useCall } from '../tool/use-call.js';
import { useMethod } from '../use-response.js';
import { type Route, useQueryValue } from '../use-route.js';
import { OfferedEntries, OpenButton } from './offered-entries.js';
import { expandTemplate, variablesOf } from './uri-template.js';

export interface OfferedProps {
  readonly server: ServerView;
  readonly route: Route;
  readonly session: Session;
}

const maxContents = 50;

/** Resources and their templates, as far as they are known; a page that may call reads them. Listing starts nothing. */
export function ServerResources({ server: { name, state }, route, session: { may, adminKey } }: OfferedProps) {
  const resources = useMethod('listResources', { server: name }, state);
  const templates = useMethod('listResourceTemplates', { server: name }, state);
  const [uri, setUri] = useQueryValue(route, 'uri');
  const mayRead = may === 'call' && adminKey !== undefined;
  const opener = (address: string) => <OpenButton name={address} onOpen={() => setUri(address)} />;
  return (
    <>
      {mayRead && uri !== '' && <OpenResource key={uri} server={name} uri={uri} adminKey={adminKey} />}
      <OfferedEntries
        label="Resources"
        route={route}
        listing={resources.response}
        problem={resources.problem}
        entryOf={({ uri: id, ...texts }) => ({ id, ...texts })}
        actionOf={mayRead ? (each) => opener(each.uri) : undefined}
      />
      {(templates.response?.items.length ?? 0) > 0 && (
        <OfferedEntries
          label="Templates"
          route={route}
          listing={templates.response}
          problem={templates.problem}
          entryOf={({ uriTemplate, ...texts }) => ({ id: uriTemplate, ...texts })}
          actionOf={mayRead ? (each) => opener(each.uriTemplate) : undefined}
        />
      )}
    </>
  );
}

interface OpenResourceProps {
  readonly server: string;
  /** Of a resource or a template. */
  readonly uri: string;
  readonly adminKey: string;
}

/** The fields of a template, and the contents once they are read. */
function OpenResource({ server, uri, adminKey }: OpenResourceProps) {
  const caller = useCall('readResource', adminKey);
  const variables = variablesOf(uri);
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [active, setActive] = useState<string>();
  const change = (variable: string, value: string) => setValues({ ...values, [variable]: value });
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const address = expandTemplate(uri, values);
  const isRunning = caller.state.phase === 'running';
  return (
    <section class="panel run" aria-labelledby="resource-heading">
      <h3 id="resource-heading" ref={heading} tabIndex={-1}>
        <code>
          <ForeignText text={address} maxLength={500} />
        </code>
      </h3>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!isRunning) caller.run({ server, uri: address });
        }}
      >
        {variables.map((variable) => (
          <div class="field" key={variable}>
            <label for={`template-${variable}`}>
              <code>
                <ForeignText text={variable} maxLength={200} />
              </code>
            </label>
            <input
              id={`template-${variable}`}
              type="text"
              autocomplete="off"
              spellcheck={false}
              value={values[variable] ?? ''}
              onFocus={() => setActive(variable)}
              onInput={({ currentTarget }) => change(variable, currentTarget.value)}
            />
            {active === variable && (
              <Suggestions
                field={`template-${variable}`}
                server={server}
                of={{ template: uri }}
                argument={variable}
                value={values[variable] ?? ''}
                args={values}
                adminKey={adminKey}
                onChoose={(value) => change(variable, value)}
              />
            )}
          </div>
        ))}
        <RequestButtons caller={caller} label="Read" runningLabel="Reading …" />
      </form>
      <CallStatus state={caller.state} />
      {caller.state.phase === 'done' && (
        <div class="result">
          {caller.state.result.contents.length === 0 && <p class="note">It has no contents.</p>}
          {caller.state.result.contents.slice(0, maxContents).map((contents, index) => (
            <Resource key={index} resource={{ ...contents }} />
          ))}
        </div>
      )}
      <RequestQuestion caller={caller} />
    </section>
  );
}
