-- What the FERPlus training code keeps of fer2013new.csv, counted from its rules: the one published file is the
-- only one these hold for, so an unverified file is left out. Returns the modes that keep another number.
{{ config(enabled=project_name == 'dissent') }}
with

known as (

    {% for mode, training, public_test, private_test in [
        ('majority', 25060, 3199, 3153),
        ('probability', 27956, 3505, 3505),
        ('crossentropy', 27956, 3505, 3505),
        ('multi_target', 27671, 3472, 3472),
    ] %}
    select
        '{{ mode }}' as mode,
        {{ training }} as training,
        {{ public_test }} as public_test,
        {{ private_test }} as private_test
    {% if not loop.last %}union all{% endif %}
    {% endfor %}

)

select
    modes.dataset_id,
    modes.mode,
    modes.images_kept
from {{ ref('dissent', 'ferplus_training_modes') }} as modes
left join known
    on modes.mode = known.mode
where
    modes.provenance = 'verified'
    and modes.images_kept is distinct from case modes.dataset_id
        when 'ferplus_training' then known.training
        when 'ferplus_public_test' then known.public_test
        when 'ferplus' then known.private_test
    end
