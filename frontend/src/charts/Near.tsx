import { type ReactNode, useRef } from 'react';
import { useNear } from './near';

interface NearProps {
  /** Height of the content, approximately, in px. */
  height: number;
  children: ReactNode;
}

/** Draws its content, and so requests its data, when it comes near the visible part of the page. */
export function Near({ height, children }: NearProps) {
  const place = useRef<HTMLDivElement>(null);
  const near = useNear(place);
  return near ? children : <div ref={place} style={{ minHeight: height }} />;
}
