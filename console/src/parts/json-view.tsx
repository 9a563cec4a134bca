import { ScrollArea } from '@mantine/core';
import { CopyButton } from './copy-button.tsx';
import classes from './json-view.module.css';

interface Props {
  /** A value to serialize, or text that need not be JSON. */
  value?: unknown;
  text?: string;
  label: string;
  maxHeight?: number;
}

/** Highlighted JSON. Untrusted content is rendered as text only. */
export function JsonView({ value, text, label, maxHeight = 420 }: Props) {
  const shown = text ?? JSON.stringify(value, null, 2) ?? '';
  return (
    <div className={classes.frame}>
      <div className={classes.corner}>
        <CopyButton value={shown} name={label} />
      </div>
      <ScrollArea.Autosize mah={maxHeight} viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': label }}>
        <pre className={classes.text}>{colored(shown)}</pre>
      </ScrollArea.Autosize>
    </div>
  );
}

const tokens = /("(?:\\.|[^"\\])*")(\s*:)?|\b(true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Responses can be HTML or text, which is not highlighted. */
const isLikeJson = (text: string) => /^\s*[[{"]/.test(text);

/** Long texts are not highlighted: 100,000 spans would block the browser. */
const longestColored = 100_000;

function colored(text: string) {
  if (text.length > longestColored || !isLikeJson(text)) return text;
  const parts: (string | React.ReactElement)[] = [];
  let end = 0;
  for (const match of text.matchAll(tokens)) {
    if (match.index > end) parts.push(text.slice(end, match.index));
    const [whole, string, colon, word] = match;
    const kind =
      colon !== undefined ? classes.key : string !== undefined ? classes.string : word ? classes.word : classes.number;
    parts.push(
      <span key={match.index} className={kind}>
        {string ?? whole}
      </span>,
    );
    if (colon !== undefined) parts.push(colon);
    end = match.index + whole.length;
  }
  return [...parts, text.slice(end)];
}
