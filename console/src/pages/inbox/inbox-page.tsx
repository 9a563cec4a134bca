import { Button, Kbd, Paper } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, useState } from 'react';
import { PageHeader } from '../../parts/page-header.tsx';
import { useLocationNames } from '../../parts/use-location-names.ts';
import { useSearchChange } from '../../parts/use-search-change.ts';
import { t } from '../../texts/t.ts';
import { DatapointList } from './datapoint-list.tsx';
import { DatapointPane } from './datapoint-pane.tsx';
import classes from './inbox.module.css';
import { InboxFilterBar } from './inbox-filter-bar.tsx';
import { type InboxSearch, inboxFilters } from './inbox-filters.ts';
import type { ListedDatapoint } from './inbox-values.ts';
import { ReplyDrafts } from './reply-drafts.tsx';
import { SavedFilters } from './saved-filters.tsx';
import { type Commands, ShortcutHelp, useShortcuts } from './shortcuts.tsx';
import { useInbox } from './use-inbox.ts';
import { useMarks } from './use-marks.ts';

const route = getRouteApi('/shell/inbox');

export function InboxPage() {
  const search = route.useSearch();
  const change = useSearchChange<InboxSearch>();
  const source = useInbox(search);
  const rows = source.rows ?? [];
  const names = useLocationNames(rows.map(({ locationId }) => locationId));
  const nameOf = (id: number | undefined) => names(id) ?? '';
  const isNarrow = useMediaQuery('(max-width: 62em)', false, { getInitialValueInEffect: false });
  const [isHelpOpen, setHelpOpen] = useState(false);
  const opened = useOpened(rows, search.open);
  useShortcuts(useCommands(rows, search.open, () => setHelpOpen(true)));
  const isPaneAlone = isNarrow && search.open !== undefined;
  const close = () => change({ open: undefined });
  return (
    <ReplyDrafts>
      <PageHeader
        title={t('inbox.title')}
        text={isPaneAlone ? undefined : t('inbox.lead')}
        actions={
          !isPaneAlone && (
            <>
              <SavedFilters search={search} onApply={change} />
              <Button variant="default" visibleFrom="md" onClick={() => setHelpOpen(true)} rightSection={<Kbd>?</Kbd>}>
                {t('inbox.shortcuts.title')}
              </Button>
            </>
          )
        }
      />
      {!isPaneAlone && <InboxFilterBar search={search} onChange={change} onClear={() => change(inboxFilters.none)} />}
      <div className={classes.columns}>
        {!isPaneAlone && (
          <DatapointList
            source={source}
            openId={search.open}
            onOpen={(id) => change({ open: id })}
            nameOf={nameOf}
            search={search}
            onClearFilters={() => change(inboxFilters.none)}
          />
        )}
        {(isPaneAlone || !isNarrow) && (
          <Paper withBorder className={classes.pane} component="section" aria-label={t('inbox.pane')}>
            <DatapointPane
              key={search.open}
              id={search.open}
              listed={opened}
              nameOf={nameOf}
              onBack={isNarrow ? close : undefined}
            />
          </Paper>
        )}
      </div>
      <ShortcutHelp isOpen={isHelpOpen} onClose={() => setHelpOpen(false)} />
    </ReplyDrafts>
  );
}

/** Marks an item as read when it is opened, once: marking it as unread again must stick. */
function useOpened(rows: readonly ListedDatapoint[], id: number | undefined): ListedDatapoint | undefined {
  const { mark } = useMarks();
  const opened = rows.find((row) => row.id === id);
  const seen = useRef<number>(undefined);
  useEffect(() => {
    if (!opened || seen.current === opened.id) return;
    seen.current = opened.id;
    if (opened.read === false) mark(opened.id, { read: true });
  });
  return opened;
}

function useCommands(rows: readonly ListedDatapoint[], openId: number | undefined, onHelp: () => void): Commands {
  const change = useSearchChange<InboxSearch>();
  const { mark } = useMarks();
  return useMemo<Commands>(() => {
    const at = rows.findIndex(({ id }) => id === openId);
    const current = rows[at];
    const go = (row: ListedDatapoint | undefined) => {
      if (!row) return;
      change({ open: row.id });
      document.getElementById(`datapoint-${row.id}`)?.scrollIntoView({ block: 'nearest' });
    };
    return {
      next: () => go(rows[at + 1]),
      previous: () => go(at > 0 ? rows[at - 1] : undefined),
      reply: () => document.getElementById('reply-text')?.focus(),
      toggleRead: () => current && mark(current.id, { read: !current.read }),
      toggleFlag: () => current && mark(current.id, { flagged: !current.flagged }),
      toggleLike: () => current && mark(current.id, { liked: !current.liked }),
      search: () => document.getElementById('inbox-search')?.focus(),
      close: () => change({ open: undefined }),
      help: onHelp,
    };
  }, [rows, openId, change, mark, onHelp]);
}
