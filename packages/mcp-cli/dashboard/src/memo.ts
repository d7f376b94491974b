import { Component, type ComponentChildren, createElement, type FunctionComponent } from 'preact';

/**
 * Draws again only when a property changes. For rows of long lists: elements that `useMemo` keeps refer to the rows that
 * were once beside them, so a list whose rows come and go would never be freed.
 */
export function memo<Props extends object>(Inner: FunctionComponent<Props>) {
  return class Memo extends Component<Props> {
    override shouldComponentUpdate(next: Readonly<Props>): boolean {
      return !isSame(this.props, next);
    }

    render(): ComponentChildren {
      return createElement(Inner, this.props);
    }
  };
}

function isSame<Props extends object>(one: Props, other: Props): boolean {
  const names = Object.keys(other) as (keyof Props)[];
  return names.length === Object.keys(one).length && names.every((name) => one[name] === other[name]);
}
