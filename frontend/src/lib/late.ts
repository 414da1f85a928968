/** Components that may update later than the controls. */
import { type ComponentType, createElement, memo, useDeferredValue } from 'react';

/**
 * Return a component that updates with low priority, so that controls react at once. For slow components, such as charts.
 */
export function late<Props extends object>(component: ComponentType<Props>): ComponentType<Props> {
  const Drawn = memo(component) as unknown as ComponentType<Props>;
  return function Late(props: Props) {
    return createElement(Drawn, useDeferredValue(props));
  };
}
