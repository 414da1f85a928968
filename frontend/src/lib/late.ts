/** Components that may lag behind what is pressed. */
import { type ComponentType, createElement, memo, useDeferredValue } from 'react';

/**
 * The same component, drawn when there is time: what is pressed beside it answers at once, and it
 * follows. For what takes long to draw, such as charts.
 */
export function late<Props extends object>(component: ComponentType<Props>): ComponentType<Props> {
  const Drawn = memo(component) as unknown as ComponentType<Props>;
  return function Late(props: Props) {
    return createElement(Drawn, useDeferredValue(props));
  };
}
