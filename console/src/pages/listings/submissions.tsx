import { List } from '@mantine/core';
import { useInfiniteList } from '../../api/use-api.ts';
import { DataList } from '../../parts/data-list/data-list.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { TimeAgo } from '../../parts/time-ago.tsx';
import { localTimes } from '../../parts/time-text.ts';
import { t, textOrWords } from '../../texts/t.ts';

const tones = { SUCCESS: 'good', FAILURE: 'bad', UNDEFINED: 'neutral' } as const;

export function Submissions({ listingId }: { listingId: number }) {
  const found = useInfiniteList(
    'GET /api/listings/{id}/submissions',
    'submissions',
    { path: { id: listingId } },
    { refetchInterval: 5000 },
  );
  return (
    <DataList
      label={t('listings.submissions.title')}
      source={found}
      rowKey={({ id }) => id}
      columns={[
        {
          key: 'date',
          sortValue: ({ date }) => date,
          title: t('listings.submissions.date'),
          render: ({ date }) => <TimeAgo at={date} />,
        },
        {
          key: 'result',
          sortValue: ({ updateResult }) => updateResult,
          title: t('listings.submissions.result'),
          onCard: 'aside',
          render: ({ updateResult }) => (
            <StatusBadge tone={tones[updateResult]}>
              {textOrWords('listings.submissions.results', updateResult)}
            </StatusBadge>
          ),
        },
        {
          key: 'why',
          title: t('listings.submissions.why'),
          width: '55%',
          render: ({ updateStatus, messages }) => (
            <>
              {updateStatus && textOrWords('listings.submissions.reasons', updateStatus)}
              {messages.length > 0 && (
                <List size="sm" listStyleType="none">
                  {messages.map((message) => (
                    <List.Item key={message}>{localTimes(message)}</List.Item>
                  ))}
                </List>
              )}
              {!updateStatus && messages.length === 0 && '–'}
            </>
          ),
        },
      ]}
      empty={{ title: t('listings.submissions.none'), text: t('listings.submissions.noneText') }}
    />
  );
}
