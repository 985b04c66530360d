-- What a new database holds, so that every tool has something to say. Written once, into an empty file only.

INSERT INTO employees (id, name, department, hire_date) VALUES
    ('EMP001', '김민준', '개발팀', '2019-03-04'),
    ('EMP002', '이서연', '인사팀', '2017-07-17'),
    ('EMP003', '박도윤', '개발팀', '2021-01-11'),
    ('EMP004', '최지우', '디자인팀', '2020-09-01'),
    ('EMP005', '정하은', '재무팀', '2015-05-18'),
    ('EMP006', '강시우', '영업팀', '2022-02-14'),
    ('EMP007', '조수아', '마케팅팀', '2023-06-05'),
    ('EMP008', '윤준서', '개발팀', '2024-01-02'),
    ('EMP009', '한지민', '고객지원팀', '2018-11-26'),
    ('EMP010', 'Emily Carter', '개발팀', '2021-10-04'),
    ('EMP011', 'Daniel O''Neill', '영업팀', '2016-04-25'),
    ('EMP012', '남궁예린', '보안팀', '2022-08-16');

INSERT INTO vacations (employee_id, year, total, used) VALUES
    ('EMP001', 2024, 17, 12), ('EMP001', 2025, 17, 8.5), ('EMP001', 2026, 18, 3),
    ('EMP002', 2024, 18, 18), ('EMP002', 2025, 18, 10), ('EMP002', 2026, 19, 5.5),
    ('EMP003', 2024, 16, 9), ('EMP003', 2025, 16, 14), ('EMP003', 2026, 17, 2),
    ('EMP004', 2024, 16, 16), ('EMP004', 2025, 17, 6), ('EMP004', 2026, 17, 9),
    ('EMP005', 2024, 19, 11), ('EMP005', 2025, 19, 15.5), ('EMP005', 2026, 20, 7),
    ('EMP006', 2024, 15, 4), ('EMP006', 2025, 16, 11), ('EMP006', 2026, 16, 1),
    ('EMP007', 2024, 15, 13), ('EMP007', 2025, 15, 7.5), ('EMP007', 2026, 16, 4),
    ('EMP008', 2024, 11, 10), ('EMP008', 2025, 15, 5), ('EMP008', 2026, 15, 0),
    ('EMP009', 2024, 17, 17), ('EMP009', 2025, 18, 12), ('EMP009', 2026, 18, 6),
    ('EMP010', 2024, 16, 7), ('EMP010', 2025, 16, 16), ('EMP010', 2026, 17, 8),
    ('EMP011', 2024, 18, 5), ('EMP011', 2025, 19, 9), ('EMP011', 2026, 19, 10.5),
    ('EMP012', 2024, 15, 8), ('EMP012', 2025, 16, 3), ('EMP012', 2026, 16, 2.5);

INSERT INTO documents (title, category, content) VALUES
    ('연차 휴가 규정', '인사',
'연차 휴가는 입사일을 기준으로 부여합니다. 1년 이상 근무하고 80% 이상 출근한 직원에게는 15일의 유급 휴가를 주며, 3년 이상 근속하면 2년마다 1일씩 더해 최대 25일까지 늘어납니다.
입사 1년 미만인 직원은 한 달을 개근할 때마다 하루의 연차를 받습니다.
연차는 그룹웨어에서 최소 3일 전에 신청하고 팀장의 승인을 받습니다. 반차는 0.5일로 계산합니다. 사용하지 않은 연차는 다음 해로 이월되지 않으며, 회사는 연차 사용 촉진 제도를 운영합니다.'),
    ('재택근무 안내', '인사',
'모든 직원은 주 2일까지 재택근무를 할 수 있습니다. 재택근무일은 전주 금요일까지 팀 캘린더에 등록합니다.
업무 시간은 오전 10시부터 오후 4시까지를 공통 근무 시간으로 합니다. 재택근무 중에는 VPN에 접속하고, 회사 자료를 개인 기기에 저장하지 않습니다.'),
    ('경조사 지원 규정', '인사',
'본인 결혼은 경조금 100만 원과 휴가 5일, 자녀 출산은 50만 원과 배우자 출산휴가 20일, 부모상은 100만 원과 휴가 5일을 지원합니다. 신청은 인사팀에 증빙 서류와 함께 합니다.'),
    ('출장비 및 경비 처리 규정', '재무',
'출장비는 출장이 끝난 뒤 7일 안에 정산합니다. 국내 출장의 숙박비는 1박 10만 원, 식비는 하루 4만 원까지 인정합니다. 영수증은 법인카드 전표로 대신할 수 있습니다.
해외 출장은 재무팀의 사전 승인이 필요하며, 환율은 출국일의 기준 환율을 적용합니다.'),
    ('정보 보안 정책', '보안',
'비밀번호는 12자 이상이어야 하며 대문자, 숫자, 특수문자(예: %, _, #)를 포함합니다. 비밀번호를 다른 사람과 공유하지 않습니다.
고객의 개인정보는 암호화하여 저장하고, 외부로 보낼 때는 보안팀의 승인을 받습니다. 의심스러운 메일을 받으면 열지 말고 security@example.com으로 신고합니다.'),
    ('신입사원 온보딩 안내', '인사',
'입사 첫날에는 인사팀에서 노트북과 출입증을 받습니다. 첫 주에는 회사 소개, 보안 교육, 개발 환경 설정을 마칩니다.
멘토가 석 달 동안 함께하며, 한 달마다 면담을 합니다. 수습 기간은 3개월입니다.'),
    ('개발 환경 설정 가이드', '개발',
'Python 3.11 이상과 Git을 설치합니다. 저장소를 내려받은 뒤 make run 과 make test 를 실행합니다.
로컬 모델은 Ollama로 실행합니다: ollama pull qwen3 로 모델을 받고, 프록시 주소를 http://localhost:8787/v1 로 지정합니다. 변수 이름은 snake_case 로 씁니다.'),
    ('코드 리뷰 원칙', '개발',
'모든 변경은 한 명 이상의 리뷰를 받습니다. 리뷰는 하루 안에 시작합니다. 변경은 작게 나누고, 왜 바꾸는지를 커밋 메시지에 적습니다. 테스트가 없는 버그 수정은 병합하지 않습니다.'),
    ('장애 대응 절차', '개발',
'장애를 발견하면 먼저 #incident 채널에 알리고 담당자를 지정합니다. 심각도 1은 15분, 심각도 2는 1시간 안에 대응을 시작합니다.
복구가 끝나면 3일 안에 회고 문서를 작성합니다. 회고에서는 사람을 탓하지 않고 원인과 재발 방지 대책을 적습니다.'),
    ('회의실 이용 안내', '총무',
'회의실은 그룹웨어에서 예약합니다. 예약 시간 10분이 지나도 사용하지 않으면 자동으로 취소됩니다. 대회의실은 20명, 소회의실은 6명까지 이용할 수 있습니다.'),
    ('Remote Work Policy', 'HR',
'Every employee may work remotely up to two days a week. Enter remote days in the team calendar by Friday of the week before. Core hours are 10:00 to 16:00 Korean time. Use the VPN, and don''t keep company files on personal devices.'),
    ('Vacation Policy (English summary)', 'HR',
'After one year of service with 80% attendance an employee has 15 days of paid annual leave; one more day is added for every two years after the third, up to 25. Half days count as 0.5. Ask for leave in the groupware at least three days ahead; your team lead approves it. Unused days do not carry over ("use it or lose it").'),
    ('Incident Response Handbook', 'Engineering',
'Report an incident in #incident and name a lead. Severity 1 is answered within 15 minutes, severity 2 within an hour. Write a blameless review within three days: what happened, why, and what will keep it from happening again.'),
    ('MCP 서버 연결 안내', '개발',
'사내 도구는 MCP(Model Context Protocol) 서버로 제공합니다. 클라이언트 설정에 SSE 주소를 등록하면 문서 검색, 직원 조회, 연차 계산 도구를 쓸 수 있습니다.
터미널에서는 runner/mcp_tools_runner.py 에 도구 이름과 JSON 인자를 넘겨 같은 도구를 실행합니다.');
