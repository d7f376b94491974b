import { useEffect, useState } from 'preact/hooks';

export const views = ['servers', 'tools', 'calls', 'access', 'config', 'fleet'] as const;
export type ViewName = (typeof views)[number];

/** The view in the address after the `#`: `#/servers/echo`. */
interface Route {
  readonly view: ViewName;
  readonly item?: string | undefined;
}

export function useRoute(): Route {
  const [route, setRoute] = useState(() => parseRoute(location.hash));
  useEffect(() => {
    const follow = () => setRoute(parseRoute(location.hash));
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  return route;
}

export function routeTo(view: ViewName, item?: string): string {
  return item === undefined ? `#/${view}` : `#/${view}/${encodeURIComponent(item)}`;
}

function parseRoute(hash: string): Route {
  const [, view, item] = hash.split('/', 3);
  const known = views.find((name) => name === view) ?? 'servers';
  return item === undefined ? { view: known } : { view: known, item: decoded(item) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
