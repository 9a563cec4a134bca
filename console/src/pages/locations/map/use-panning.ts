import { type Dispatch, type MouseEvent, type PointerEvent, type SetStateAction, useEffect, useRef } from 'react';
import { type MapView, zoomed } from './map-view.ts';

/** Drag to pan; pinch, double click or Ctrl + wheel to zoom. The plain wheel scrolls the page. */
export function usePanning(setView: Dispatch<SetStateAction<MapView | undefined>>, least: number) {
  const fingers = useRef(new Map<number, readonly [number, number]>());
  const placeIn = (event: PointerEvent<HTMLElement>): readonly [number, number] => {
    const { left, top } = event.currentTarget.getBoundingClientRect();
    return [event.clientX - left, event.clientY - top];
  };
  const map = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = map.current;
    if (!element) return;
    const turn = (event: WheelEvent) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const { left, top } = element.getBoundingClientRect();
      const at = [event.clientX - left, event.clientY - top] as const;
      setView((view) => view && zoomed(view, 2 ** (-event.deltaY / 240), at, least));
    };
    element.addEventListener('wheel', turn, { passive: false });
    return () => element.removeEventListener('wheel', turn);
  }, [setView, least]);
  const lift = (event: PointerEvent<HTMLElement>) => fingers.current.delete(event.pointerId);
  const handlers = {
    onPointerDown: (event: PointerEvent<HTMLElement>) => {
      if ((event.target as HTMLElement).closest('button')) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      fingers.current.set(event.pointerId, placeIn(event));
    },
    onPointerMove: (event: PointerEvent<HTMLElement>) => {
      const before = fingers.current.get(event.pointerId);
      if (!before) return;
      const now = placeIn(event);
      const other = [...fingers.current].find(([id]) => id !== event.pointerId)?.[1];
      fingers.current.set(event.pointerId, now);
      setView((view) => {
        if (!view) return view;
        if (!other) return { ...view, x: view.x + now[0] - before[0], y: view.y + now[1] - before[1] };
        const factor = distance(now, other) / Math.max(1, distance(before, other));
        return zoomed(view, factor, [(now[0] + other[0]) / 2, (now[1] + other[1]) / 2], least);
      });
    },
    onPointerUp: lift,
    onPointerCancel: lift,
    onDoubleClick: (event: MouseEvent<HTMLElement>) => {
      const { left, top } = event.currentTarget.getBoundingClientRect();
      const at = [event.clientX - left, event.clientY - top] as const;
      setView((view) => view && zoomed(view, 2, at, least));
    },
  };
  return { map, handlers };
}

const distance = ([ax, ay]: readonly [number, number], [bx, by]: readonly [number, number]) =>
  Math.hypot(ax - bx, ay - by);
