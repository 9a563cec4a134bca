import { ScrollArea } from '@mantine/core';
import { t } from '../texts/t.ts';
import { CopyButton } from './copy-button.tsx';
import classes from './json-view.module.css';

interface Props {
  /** A value to be written as JSON, or a text that is shown as it is, which need not be JSON at all. */
  value?: unknown;
  text?: string;
  label?: string;
  maxHeight?: number;
}

/** JSON in colours. What strangers wrote is text here and never markup. */
export function JsonView({ value, text, label = t('parts.json.label'), maxHeight = 420 }: Props) {
  const shown = text ?? JSON.stringify(value, null, 2) ?? '';
  return (
    <div className={classes.frame}>
      <div className={classes.corner}>
        <CopyButton value={shown} what={label} />
      </div>
      <ScrollArea.Autosize mah={maxHeight} viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': label }}>
        <pre className={classes.text}>{colored(shown)}</pre>
      </ScrollArea.Autosize>
    </div>
  );
}

const tokens = /("(?:\\.|[^"\\])*")(\s*:)?|\b(true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** An answer may also be a page or a sentence, in which digits are nothing special. */
const isLikeJson = (text: string) => /^\s*[[{"]/.test(text);

/** Very long texts stay plain: a span for each of a hundred thousand words would stop the browser. */
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
