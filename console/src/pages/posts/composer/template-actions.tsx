import { Button, Group, Menu, Stack, TextInput } from '@mantine/core';
import { LayoutTemplate, Save } from 'lucide-react';
import { useState } from 'react';
import { useHasPermission } from '../../../api/session.ts';
import { useApiWrite, useWholeList } from '../../../api/use-api.ts';
import { FormButtons } from '../../../parts/form-buttons.tsx';
import { FormModal, useDirty } from '../../../parts/form-drawer.tsx';
import { notifyDone } from '../../../parts/notify.tsx';
import { t } from '../../../texts/t.ts';
import { contentOf, type PostForm, templateOf } from './post-form.ts';
import { useReplace } from './use-replace.tsx';

export function TemplateActions({ form }: { form: PostForm }) {
  const [isNaming, setNaming] = useState(false);
  const [replace, question] = useReplace(form);
  const mayRead = useHasPermission('ASSET_READ');
  const mayWrite = useHasPermission('ASSET_WRITE');
  const { data: templates, error } = useWholeList(
    'GET /api/dam/assets',
    'assets',
    (page) => ({ type: ['SOCIAL_POST_TEMPLATE'], page, size: 100, sort: 'name', order: 'ASC' }),
    { enabled: mayRead },
  );
  if (!mayRead) return <span />;
  return (
    <Group gap={4}>
      <Menu position="top-start" width={280}>
        <Menu.Target>
          <Button variant="subtle" size="compact-sm" leftSection={<LayoutTemplate size={16} aria-hidden />}>
            {t('posts.compose.template')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown mah={320} style={{ overflowY: 'auto' }}>
          {error && <Menu.Label c="var(--mantine-color-error)">{error.message}</Menu.Label>}
          {templates?.length === 0 && <Menu.Item disabled>{t('posts.compose.noTemplates')}</Menu.Item>}
          {templates?.map(({ id, name, content }) => (
            <Menu.Item key={id} onClick={() => content && replace(contentOf(content))}>
              {name}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {mayWrite && (
        <Button
          variant="subtle"
          color="gray"
          size="compact-sm"
          leftSection={<Save size={16} aria-hidden />}
          onClick={() => setNaming(true)}
        >
          {t('posts.compose.saveAsTemplate')}
        </Button>
      )}
      {question}
      <FormModal opened={isNaming} onClose={() => setNaming(false)} title={t('posts.compose.saveAsTemplate')}>
        {(cancel) => <NameTemplate form={form} onCancel={cancel} onSaved={() => setNaming(false)} />}
      </FormModal>
    </Group>
  );
}

interface NameProps {
  form: PostForm;
  onCancel: () => void;
  onSaved: () => void;
}

function NameTemplate({ form, onCancel, onSaved }: NameProps) {
  const [name, setName] = useState(form.values.title);
  useDirty(name !== form.values.title);
  const save = useApiWrite('POST /api/social-templates', {
    changes: ['GET /api/dam/assets'],
    onSuccess: (saved) => {
      notifyDone(t('posts.compose.templateSaved', { name: saved.name }));
      onSaved();
    },
  });
  const problem = save.error && (save.error.fields.map(({ message }) => message).join(' ') || save.error.message);
  return (
    <Stack>
      <TextInput
        label={t('posts.compose.templateName')}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={problem}
        data-autofocus
      />
      <FormButtons
        onCancel={onCancel}
        loading={save.isPending}
        onClick={() => save.mutate({ body: { name: name.trim(), content: templateOf(form.values) } })}
      >
        {t('posts.compose.saveTemplate')}
      </FormButtons>
    </Stack>
  );
}
