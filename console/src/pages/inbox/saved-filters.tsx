import { Button, Menu, Modal, Stack, TextInput } from '@mantine/core';
import { Bookmark, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { DataPointFilter } from '../../api/api-types.ts';
import { useSession } from '../../api/session.ts';
import { useApi, useApiWrite } from '../../api/use-api.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { FormButtons } from '../../parts/form-buttons.tsx';
import { FormProblem } from '../../parts/form-problems.tsx';
import { notifyDone } from '../../parts/notify.tsx';
import { t } from '../../texts/t.ts';
import { type InboxSearch, inboxFilters, searchOf } from './inbox-filters.ts';

interface Props {
  search: InboxSearch;
  onApply: (change: InboxSearch) => void;
}

export function SavedFilters({ search, onApply }: Props) {
  const { data, error } = useApi('GET /api/data-points/filters', { query: { max: 100 } });
  const { user } = useSession();
  const [isSaving, setSaving] = useState(false);
  const [doomed, setDoomed] = useState<DataPointFilter>();
  const remove = useApiWrite('DELETE /api/data-points/filters/{id}', { changes: ['GET /api/data-points/filters'] });
  const filters = data?.filters ?? [];
  return (
    <>
      <Menu position="bottom-end" width={260}>
        <Menu.Target>
          <Button variant="default" leftSection={<Bookmark size={16} aria-hidden />}>
            {t('inbox.saved.title')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {error && <Menu.Label c="var(--mantine-color-error)">{error.message}</Menu.Label>}
          {data?.filters.length === 0 && <Menu.Label>{t('inbox.saved.none')}</Menu.Label>}
          {filters.map((filter) => (
            <Menu.Item key={filter.id} onClick={() => onApply(searchOf(filter))}>
              {filter.shared ? t('inbox.saved.shared', { name: filter.name }) : filter.name}
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item onClick={() => setSaving(true)} disabled={!inboxFilters.isFiltered(search)}>
            {t('inbox.saved.saveCurrent')}
          </Menu.Item>
          {filters
            .filter(({ shared }) => !shared || user.role === 'ADMIN')
            .map((filter) => (
              <Menu.Item
                key={filter.id}
                color="red"
                leftSection={<Trash2 size={14} aria-hidden />}
                onClick={() => setDoomed(filter)}
              >
                {t('inbox.saved.delete', { name: filter.name })}
              </Menu.Item>
            ))}
        </Menu.Dropdown>
      </Menu>
      {isSaving && <SaveFilter search={search} onClose={() => setSaving(false)} />}
      <ConfirmDialog
        isOpen={doomed !== undefined}
        title={t('inbox.saved.deleteTitle', { name: doomed?.name ?? '' })}
        text={t('inbox.saved.deleteText')}
        confirmLabel={t('inbox.saved.deleteConfirm')}
        onConfirm={async () => doomed && remove.mutateAsync({ path: { id: doomed.id } })}
        onClose={() => setDoomed(undefined)}
      />
    </>
  );
}

function SaveFilter({ search, onClose }: { search: InboxSearch; onClose: () => void }) {
  const [name, setName] = useState('');
  const save = useApiWrite('POST /api/data-points/filters', {
    changes: ['GET /api/data-points/filters'],
    onSuccess: () => {
      notifyDone(t('inbox.saved.done', { name }));
      onClose();
    },
  });
  return (
    <Modal opened onClose={onClose} title={t('inbox.saved.saveCurrent')}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate({ body: { ...inboxFilters.query(search), name: name.trim() } });
        }}
      >
        <Stack>
          <FormProblem message={save.error?.fields[0]?.message ?? save.error?.message} />
          <TextInput
            label={t('inbox.saved.name')}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            data-autofocus
            required
          />
          <FormButtons loading={save.isPending} disabled={!name.trim()}>
            {t('inbox.saved.save')}
          </FormButtons>
        </Stack>
      </form>
    </Modal>
  );
}
